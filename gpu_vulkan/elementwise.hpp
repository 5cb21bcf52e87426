#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/broadcast.hpp"

namespace plumb::gpu_vulkan {

/// How many elements of a dtype shaders load and store at once (glsl/pack.glsl).
constexpr std::int64_t pack_size(ir::DType dtype) {
  const auto bytes = static_cast<std::int64_t>(ir::info(dtype).bytes);
  return bytes >= 16 ? 1 : bytes >= 4 ? 16 / bytes : 4;
}

/// An elementwise shader over operands that broadcast to the node's result
/// (glsl/elementwise.glsl).
struct Elementwise {
  std::string shader;
  std::int64_t pack = 1;                 ///< what the shader calls PACK
  std::vector<std::uint32_t> constants;  ///< from constant_id 4 on; those before are of the loops
  std::vector<std::size_t> operands;     ///< inputs of the node, by binding
  std::vector<ir::Shape> shapes = {};    ///< as which they are read; none: as they are
  std::vector<std::size_t> alike = {};   ///< more inputs, each read where the last operand is
};

void elementwise(const Elementwise& kernel, Lowering& node);

}  // namespace plumb::gpu_vulkan
