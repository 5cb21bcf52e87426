#include "ir/ops/matmul.hpp"

#include <algorithm>
#include <utility>

#include "ir/ops/binary.hpp"
#include "ir/ops/transpose.hpp"
#include "parity/bounds/bounded_matmul.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

Real last_axes_swapped(Real x) {
  ir::ops::Transpose swap;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis)
    swap.permutation.push_back(static_cast<std::int64_t>(axis));
  std::swap(swap.permutation.back(), *(swap.permutation.end() - 2));
  return x.builder->apply(swap, {x});
}

/// The sums of the first k products, for some k: the products of the first columns of a and rows of b.
std::vector<Real> partial_sums(const ir::ops::Matmul& op, const Node& node, std::int64_t k) {
  const std::int64_t axis_a = op.transpose_a ? -2 : -1, axis_b = op.transpose_b ? -1 : -2, parts = parts_of(k);
  std::vector<Real> sums;
  for (std::int64_t j = 0; j < parts && parts > 1; ++j) {
    const std::int64_t from = k * j / parts, to = k * (j + 1) / parts;
    const Real step = node.apply({part(node.in[0], axis_a, from, to), part(node.in[1], axis_b, from, to)});
    sums.push_back(sums.empty() ? step : sums.back() + step);
  }
  return sums;
}

/// Rows of a, or columns of b, of one number.
Real uniform_factors(const ir::ops::Matmul& op, const Node& node) {
  Real a = is_uniform(node.in[0], {op.transpose_a ? -2 : -1}), b = is_uniform(node.in[1], {op.transpose_b ? -1 : -2});
  if (op.transpose_a) a = last_axes_swapped(a);
  if (op.transpose_b) b = last_axes_swapped(b);
  return node.builder.apply(ir::ops::Binary{ir::ops::BinaryFunction::logical_or}, {a, b});
}

/// From what the product was evaluated with (bounded_product.hpp); of another arithmetic than that was asked for, in
/// proportion.
std::optional<Bound> made_with_product(const Node& node, std::int64_t k) {
  const ir::Node* made = node.builder.producer(node.y());
  if (made == nullptr || !made->op.is<BoundedMatmul>()) return std::nullopt;
  const auto& of = made->op.as<BoundedMatmul>();
  const Real probable{&node.builder, made->outputs[1]}, certain{&node.builder, made->outputs[2]};
  const DotFactors factors = dot_factors(node, k);
  if (factors.random == of.random && factors.certain == of.certain && factors.stored == of.stored)
    return Bound{probable, certain};
  const double of_sizes = std::max(factors.certain / of.certain, factors.stored / of.stored);
  return Bound{std::max(factors.random / of.random, of_sizes) * probable, of_sizes * certain};
}

}  // namespace

Model error_model(const ir::ops::Matmul& op) {
  return {.rounding =
              [op](const Node& node) {
                const ir::Shape& a = node.in[0].shape();
                const std::int64_t k = op.transpose_a ? a[a.size() - 2] : a[a.size() - 1];
                if (const auto made = made_with_product(node, k)) return *made;
                Terms terms = product_terms(node, k);
                terms.partial = partial_sums(op, node, k);
                if (k > 0) terms.uniform = uniform_factors(op, node);
                return dot(node, terms);
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
