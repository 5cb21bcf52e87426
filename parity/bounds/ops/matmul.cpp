#include "ir/ops/matmul.hpp"

#include <algorithm>

#include "parity/bounds/bounded_matmul.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// From what the product was evaluated with (bounded_product.hpp); what it was not evaluated for is in proportion.
std::optional<Bound> made_with_product(const Node& node, std::int64_t k) {
  const ir::Node* made = node.builder.producer(node.y());
  if (made == nullptr || !made->op.is<BoundedMatmul>()) return std::nullopt;
  const auto& of = made->op.as<BoundedMatmul>();
  const Real probable{&node.builder, made->outputs[1]}, certain{&node.builder, made->outputs[2]};
  const DotFactors factors = dot_factors(node, k, has_exact_products(node));
  if (factors.random == of.random && factors.certain == of.certain && factors.stored == of.stored)
    return Bound{probable, certain};
  if (factors.certain == of.certain && factors.stored == of.stored) {  // for another number of standard deviations
    const Real stored = of.stored * abs(node.y());
    return Bound{(factors.random / of.random) * (probable - stored) + stored, certain};
  }
  const double of_sizes = std::max(factors.certain / of.certain, factors.stored / of.stored);
  return both(of_sizes * certain);
}

}  // namespace

Model error_model(const ir::ops::Matmul& op) {
  return {.rounding =
              [op](const Node& node) {
                const ir::Shape& a = node.in[0].shape();
                const std::int64_t k = op.transpose_a ? a[a.size() - 2] : a[a.size() - 1];
                if (const auto made = made_with_product(node, k)) return *made;
                return dot(node, product_terms(node, k));
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
