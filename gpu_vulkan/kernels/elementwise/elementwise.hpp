#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/broadcast.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {

/// How many elements of a dtype shaders load and store at once (glsl/pack.glsl).
constexpr std::int64_t pack_size(ir::DType dtype) {
  const auto bytes = static_cast<std::int64_t>(ir::info(dtype).bytes);
  return bytes >= 16 ? 1 : bytes >= 4 ? 16 / bytes : 4;
}

/// The variant of a shader over glsl/pack.glsl that computes in a dtype: f16 has one for devices whose own conversions
/// keep subnormal numbers and round to nearest even, which saves most of what a cheap op computes.
inline std::string variant_of(ir::DType dtype, const device::DeviceFacts& facts) {
  const bool native = facts.float16 && facts.denormals_kept_f16 && facts.rounds_to_even_f16;
  return ir::cat(dtype, dtype == ir::DType::f16 && native ? "_native" : "");
}

/// The loops over units of `pack` elements.
ir::kernels::BroadcastLoops in_units(ir::kernels::BroadcastLoops loops, std::int64_t pack);

/// An elementwise shader over operands that broadcast to the node's result
/// (glsl/elementwise.glsl).
struct Elementwise {
  std::string shader;
  std::int64_t pack = 1;              ///< the shader's PACK: elements of a unit
  plan::Constants constants;          ///< from constant_id 4 on; those before are of the loops
  std::vector<std::size_t> operands;  ///< inputs of the node, by binding
  plan::Elementwise kind = plan::Elementwise::none;
};

void elementwise(const Elementwise& kernel, plan::Lowering& node);

/// The slots of an elementwise shader where they are not the node's own: operands
/// have the first `shapes.size()` bindings; those after them are read where the last is.
struct ElementwiseSlots {
  std::vector<plan::Slot> reads;
  std::vector<ir::Shape> shapes;  ///< they broadcast to `result`
  plan::Slot write = 0;
  ir::Shape result;
};

void elementwise(const Elementwise& kernel, const ElementwiseSlots& slots, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::elementwise
