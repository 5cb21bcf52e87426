#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::norms {

/// The settings of normalize.glsl: x has the extents of `shape`, a line is the axes
/// from `first` on, and scale and bias are read by these strides along the axes.
struct Normalize {
  std::string_view name;
  ir::Shape shape;
  std::size_t first = 0;
  double epsilon = 0;
  bool is_centered = true;  ///< the mean is taken off
  bool has_scale = false, has_bias = false;
  std::vector<std::int64_t> scale_strides, bias_strides;
  bool has_statistics = false;               ///< whether the shader can write them at all
  std::optional<plan::Slot> x = {}, y = {};  ///< in place of the node's own
  bool has_residual = false;                 ///< the last operand, as x, is added to it
};

/// The dispatches of a norm whose operands are x, scale, bias and residual, all but x where present.
void lower_normalize(const Normalize& norm, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::norms
