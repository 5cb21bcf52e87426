// Error model of rotary embeddings of a grid: three roundings of |x|cos + |x|sin, and what cosines and sines of rounded
// angles may be off.
#include "ir/ops/axial_rope_2d.hpp"

#include <cmath>

#include "ir/ops/concat.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::AxialRope2d;

/// Sizes of the factors of each pair, [1, S, 1, D/2, 1], and how far f64 may have their angles off.
struct Turns {
  Real cosines, sines, angles;
};

Turns turns_of(const AxialRope2d& op, ExpressionBuilder& builder, const ir::Shape& x) {
  std::vector<double> cosines, sines, angles;
  const std::int64_t half = op.head_dim / 2;
  for (std::int64_t t = 0; t < x[1]; ++t)
    for (std::int64_t k = 0; k < half; ++k) {
      const std::int64_t g = t / op.repeat, p = k < half / 2 ? g % op.width : g / op.width, i = k % (half / 2);
      const double exponent = -4.0 * static_cast<double>(i) / static_cast<double>(op.head_dim);
      const double angle = static_cast<double>(p) * std::pow(op.theta, exponent);
      cosines.push_back(std::abs(std::cos(angle)));
      sines.push_back(std::abs(std::sin(angle)));
      // The exponent is rounded, the power and the product.
      angles.push_back(std::abs(angle) * (4 + std::abs(exponent * std::log(op.theta))));
    }
  const auto as_pairs = [&](const std::vector<double>& numbers) {
    return reshaped(builder.constant(numbers), {1, x[1], 1, half, 1});
  };
  return {as_pairs(cosines), as_pairs(sines), as_pairs(angles)};
}

/// |own|·cosines + |partner|·sines of every element, of sizes of elements.
Real turned(const AxialRope2d& op, Real sizes, Real cosines, Real sines) {
  const ir::Shape shape = sizes.shape();
  const Real pairs = reshaped(sizes, {shape[0], shape[1], shape[2] / op.head_dim, op.head_dim / 2, 2});
  const Real first = part(pairs, 4, 0, 1), second = part(pairs, 4, 1, 2);
  return reshaped(
      sizes.builder->apply(ir::ops::Concat{4}, {first * cosines + second * sines, first * sines + second * cosines}),
      shape);
}

}  // namespace

Model error_model(const AxialRope2d& op) {
  return {.rounding =
              [op](const Node& node) {
                const Real sizes = abs(node.in[0]);
                const Turns turns = turns_of(op, node.builder, sizes.shape());
                // Products and sum are rounded, and each factor is known to a roundoff.
                const Real of_factors = turned(op, sizes, turns.cosines, turns.sines);
                const Real of_angles =
                    ir::unit_roundoff(ir::DType::f64) * turned(op, sizes, turns.angles, turns.angles);
                return both(node.unit() * (4 * of_factors + abs(node.y())) + of_angles);
              },
          .carried =
              [op](const Node& node, const Errors& errors) {
                const Turns turns = turns_of(op, node.builder, node.in[0].shape());
                return turned(op, errors[0].value(), turns.cosines, turns.sines);
              }};
}

}  // namespace plumb::parity::bounds
