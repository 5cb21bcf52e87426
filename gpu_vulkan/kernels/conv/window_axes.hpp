#pragma once

#include <numeric>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/window.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

/// The push constants of convolution.glsl for up to three spatial axes, the leading ones 1
/// where there are fewer.
struct WindowAxes {
  using Axes = std::array<std::uint32_t, 3>;
  Axes extent{1, 1, 1}, positions{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};

  std::int64_t count() const { return std::int64_t{positions[0]} * positions[1] * positions[2]; }
};

/// The push constants of adjoint.glsl before those of the axes: how far apart the taps of a kernel are that
/// meet the same element of an image, and the positions from which they do.
struct AdjointSteps {
  WindowAxes::Axes tap, index;

  explicit AdjointSteps(const WindowAxes& axes) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t common = std::gcd(axes.stride[i], axes.dilation[i]);
      tap[i] = axes.stride[i] / common;
      index[i] = axes.dilation[i] / common;
    }
  }
};

/// The axes of windows whose positions are the last extents of `y`. Throws Unsupported
/// where shaders could not count them.
WindowAxes window_axes(const std::vector<ir::kernels::Window>& axes, const ir::Shape& y, const plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::conv
