#pragma once

#include <optional>
#include <vector>

#include "parity/bounds/error_model.hpp"

/// Error terms that the models of normalisations share (verdict.md V31).
namespace plumb::parity::bounds {

/// Whether a kernel that makes a mean or a variance so merges those of slices of a line. Its first mean is that of one
/// slice, anywhere between the elements; a second number makes up for it.
bool merges_slices(const Arithmetic& arithmetic);

struct Norm {
  Real x;
  std::vector<std::int64_t> axes = {};  ///< that statistics are taken over
  bool centred = true;
  double epsilon = 0;
  bool epsilon_outside = false;               ///< epsilon is added to the root, not under it
  std::optional<Real> scale = {}, bias = {};  ///< broadcast to x
  Real y = {};                                ///< the result, of x's shape
};

/// The errors of y = (x - mean) / √(variance + epsilon) · scale + bias, of the mean, and of
/// 1 / √(variance + epsilon).
struct NormErrors {
  Bound y, mean, inverse;
};
NormErrors norm_errors(const Node& node, const Norm& norm);

/// The norm of in[0] over its axes from `axis` on, with scale in in[1] and bias in the last operand if there are any.
Norm line_norm(const Node& node, std::int64_t axis, double epsilon, bool has_scale, bool has_bias);

/// The error of y, or of the mean or 1 / √(variance + epsilon) where the node's output is one of these, from errors of
/// x, and of the scale and bias behind it.
Real through_norm(const Node& node, const Norm& norm, const Errors& errors);

/// The error of normalising groups of channels of in[0] [N, C, ..], with scale and bias by channel.
Bound grouped_norm_error(const Node& node, std::int64_t groups, double epsilon, std::optional<Real> scale,
                         std::optional<Real> bias);

}  // namespace plumb::parity::bounds
