#include "gpu_vulkan/cooperative.hpp"

namespace plumb::gpu_vulkan {

const CooperativeShape* f16_shape(const DeviceFacts& facts) {
  const CooperativeShape* best = nullptr;
  for (const CooperativeShape& s : facts.cooperative_shapes) {
    if (s.a != ir::DType::f16 || s.b != ir::DType::f16 || s.c != ir::DType::f32 || s.r != ir::DType::f32) continue;
    if (best == nullptr || s.m * s.n * s.k > best->m * best->n * best->k) best = &s;
  }
  return best;
}

std::optional<std::string> refuse_cooperative_matrices(ir::DType operands, const DeviceFacts& facts) {
  if (operands != ir::DType::f16) return ir::cat("operands are ", operands, ", it takes f16");
  if (!facts.float16) return facts.name + " has no f16 arithmetic in shaders";
  if (!facts.vulkan_memory_model) return facts.name + " has no Vulkan memory model";
  if (!facts.subgroup_size_control) return facts.name + " cannot promise full subgroups";
  if (f16_shape(facts) == nullptr) return facts.name + " lists no cooperative matrices of f16 summed in f32";
  return std::nullopt;
}

}  // namespace plumb::gpu_vulkan
