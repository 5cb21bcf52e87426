#pragma once

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// An element along one axis, and its weight.
struct Tap1 {
  std::int64_t place;
  Real weight;
};
using Taps = std::vector<Tap1>;

/// max(0, 1 - t), t >= 0.
Real linear_weight(Real t);
/// Keys' kernel with coefficient a, t >= 0 (Keys, "Cubic convolution interpolation for digital image processing",
/// 1981).
Real keys_weight(Real t, Real a);

/// The sum over all taps of the trailing axes of operand 0, `leading` being the place on those before: each element by
/// the product of its weights. Weights that are 0 for sure have no influence.
Real weighted(const Call& call, const Position& leading, std::span<const Taps> taps);

}  // namespace plumb::parity::element
