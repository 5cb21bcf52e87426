#pragma once

#include "gpu_vulkan/plan/lower.hpp"

/// Fourier transforms of any length, of lines along any axis (ops.md 10, ops.md I).
namespace plumb::gpu_vulkan::kernels::fourier {

/// The transform of a line, as the ops name it.
enum class Kind { forward, inverse, real_forward, real_inverse };

struct Transform {
  Kind kind = Kind::forward;
  std::int64_t length = 1;  ///< points of a line
  double scale = 1;
  ir::Lines in = {}, out = {};  ///< elements, complex ones or reals
};

/// Dispatches the transform of operand 0 to output 0. A line whose length has no prime factor above 7 takes one kernel
/// where it fits a workgroup, else one for each of two or three factors (four-step); any other goes by Bluestein's
/// algorithm through lines of two to four times as many points. Real lines of even length are complex lines of half of
/// that, each by itself.
void lower_transform(const Transform& transform, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::fourier
