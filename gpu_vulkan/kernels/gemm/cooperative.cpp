// The cooperative-matrix shape that a device offers for these operands, or the reason why none may be used.
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

using ir::DType;

namespace {

const device::CooperativeShape* largest_shape(DType operands, DType sums, const device::DeviceFacts& facts) {
  const device::CooperativeShape* best = nullptr;
  for (const device::CooperativeShape& s : facts.cooperative_shapes) {
    if (s.a != operands || s.b != operands || s.c != sums || s.r != sums) continue;
    if (best == nullptr || s.m * s.n * s.k > best->m * best->n * best->k) best = &s;
  }
  return best;
}

}  // namespace

const device::CooperativeShape* shape_summed_in_f32(DType operands, const device::DeviceFacts& facts) {
  return largest_shape(operands, DType::f32, facts);
}

const device::CooperativeShape* shape_summed_in_f16(const device::DeviceFacts& facts) {
  return largest_shape(DType::f16, DType::f16, facts);
}

plan::Or<device::CooperativeShape> usable_shape(DType operands, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  if (operands != DType::f16 && operands != DType::bf16)
    return plan::Refusal{ir::cat("operands are ", operands, ", it takes f16 and bf16")};
  if (!node.options().cooperative) return plan::Refusal{"turned off by --set cooperative=false"};
  if (operands == DType::f16 && !facts.float16) return plan::Refusal{facts.name + " has no f16 arithmetic in shaders"};
  if (operands == DType::bf16 && !facts.bfloat16) return plan::Refusal{facts.name + " has no bf16 in shaders"};
  if (!facts.vulkan_memory_model) return plan::Refusal{facts.name + " has no Vulkan memory model"};
  if (!facts.subgroup_size_control) return plan::Refusal{facts.name + " cannot promise full subgroups"};
  if (const std::string& doubt = node.options().cooperative_doubt; !doubt.empty())
    return plan::Refusal{ir::cat(facts.name, "'s cooperative matrices failed their self-test: ", doubt)};
  const device::CooperativeShape* const shape = shape_summed_in_f32(operands, facts);
  if (shape != nullptr) return *shape;
  return plan::Refusal{ir::cat(facts.name, " lists no cooperative matrices of ", operands, " summed in f32")};
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
