#pragma once

#include <bit>
#include <cstdint>

namespace plumb::gpu_vulkan::kernels::common {

/// A divisor in [1, 2^31) as shaders use it on numbers below 2^31 (glsl/divide.glsl):
/// n / d = (2n·multiplier) / 2^32 / 2^shift, exact since the multiplier is 2^(31 + shift) / d
/// rounded up, and the error of that, below 1, is multiplied by n / 2^(31 + shift) < 1 / d.
struct Divisor {
  std::uint32_t multiplier, shift;

  explicit constexpr Divisor(std::int64_t d)
      : multiplier(0), shift(static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(d - 1)))) {
    const auto divisor = static_cast<std::uint64_t>(d);
    multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + divisor - 1) / divisor);
  }
};

}  // namespace plumb::gpu_vulkan::kernels::common
