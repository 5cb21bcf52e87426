// Error model of products with a low-rank correction: one sum of all terms, of which those of the correction have a
// factor that is a sum of its own.
#include "ir/ops/lora_matmul.hpp"

#include <cmath>

#include "ir/ops/matmul.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::LoraMatmul;

Real product(Real a, Real b) { return a.builder->apply(ir::ops::Matmul{}, {a, b}); }

LoraMatmul sized(const LoraMatmul& op) { return {std::abs(op.scale)}; }

Bound rounding(const LoraMatmul& op, const Node& node) {
  const Real w = node.in[1], a = node.in[2], b = node.in[3];
  const std::int64_t terms = w.shape()[0], rank = a.shape()[1], width = w.shape()[1];
  const ir::Shape shape = node.y().shape();
  const std::int64_t rows = shape.leading(shape.size() - 1).elements();
  const Real x = reshaped(node.in[0], {rows, terms});
  if (rank == 0) {
    const Bound only = dot(node, {.count = terms,
                                  .sum = reshaped(node.y(), {rows, width}),
                                  .magnitude = product(abs(x), abs(w)),
                                  .squares = product(square(x), square(w)),
                                  .exact = has_exact_products(node)});
    return {reshaped(only.probable, shape), reshaped(only.certain, shape)};
  }
  const Real inner = product(x, a), sizes = product(abs(x), abs(a)), squares = product(square(x), square(a));
  const double scale = std::abs(op.scale);
  // A term of the correction has the error of a sum of its own, carried by b.
  const Bound of_inner = dot(
      node, {.count = terms, .sum = inner, .magnitude = sizes, .squares = squares, .exact = has_exact_products(node)});
  const Bound of_terms =
      dot(node, {.count = terms + rank + 1,  // the scale rounds the correction once
                 .sum = reshaped(node.y(), {rows, width}),
                 .magnitude = product(abs(x), abs(w)) + scale * product(abs(inner), abs(b)),
                 .squares = product(square(x), square(w)) + (scale * scale) * product(square(inner), square(b)),
                 .exact = false});
  const Real carried = (scale * scale) * product(square(of_inner.probable), square(b));
  const Real certain = of_terms.certain + scale * product(of_inner.certain, abs(b));
  return {reshaped(min(sqrt(square(of_terms.probable) + carried), certain), shape), reshaped(certain, shape)};
}

}  // namespace

Model error_model(const LoraMatmul& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried =
              [op](const Node& node, const Errors& errors) {
                std::vector<Real> magnitudes, larger;
                for (std::size_t i = 0; i < node.in.size(); ++i) {
                  magnitudes.push_back(abs(node.in[i]));
                  larger.push_back(errors[i] ? magnitudes.back() + *errors[i] : magnitudes.back());
                }
                return node.builder.apply(sized(op), larger) - node.builder.apply(sized(op), magnitudes);
              }};
}

}  // namespace plumb::parity::bounds
