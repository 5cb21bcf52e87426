#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "ir/dtype.hpp"

namespace plumb::gpu_vulkan::kernels::common {

/// A number as the variant of a shader takes it that computes in f64, or else in f32: its bits, the low word first.
inline std::array<std::uint32_t, 2> words_of(double x, ir::DType computed) {
  if (computed != ir::DType::f64) return {std::bit_cast<std::uint32_t>(static_cast<float>(x)), 0};
  return std::bit_cast<std::array<std::uint32_t, 2>>(x);
}

}  // namespace plumb::gpu_vulkan::kernels::common
