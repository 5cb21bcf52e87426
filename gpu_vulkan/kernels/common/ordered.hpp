#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::common {

/// How the bits of a dtype are to be read by shaders over glsl/ordered.glsl.
enum class Encoding : std::uint32_t { unsigned_integer, signed_integer, ieee_float, brain_float };

constexpr std::uint32_t encoding_of(ir::DType dtype) {
  if (dtype == ir::DType::bf16) return static_cast<std::uint32_t>(Encoding::brain_float);
  if (ir::is_float(dtype)) return static_cast<std::uint32_t>(Encoding::ieee_float);
  return static_cast<std::uint32_t>(ir::is_signed(dtype) ? Encoding::signed_integer : Encoding::unsigned_integer);
}

}  // namespace plumb::gpu_vulkan::kernels::common
