#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/window.hpp"

namespace plumb::gpu_vulkan {

/// What glsl/convolution.glsl is pushed of up to three spatial axes, the leading ones 1
/// where there are fewer.
struct WindowAxes {
  using Axes = std::array<std::uint32_t, 3>;
  Axes extent{1, 1, 1}, positions{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};

  std::int64_t count() const { return std::int64_t{positions[0]} * positions[1] * positions[2]; }
};

/// The axes of windows whose positions are the last extents of `y`. Throws Unsupported
/// where shaders could not count them.
WindowAxes window_axes(const std::vector<ir::Window>& axes, const ir::Shape& y, const Lowering& node);

}  // namespace plumb::gpu_vulkan
