// Sizes of slots, and the names by which cooperative-matrix kernels are told apart in self-tests and messages.
#include "gpu_vulkan/plan/schedule.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::plan {

std::string to_text(const CooperativeKernel& kernel) {
  using Kind = CooperativeKernel::Kind;
  const auto name = [&]() -> std::string {
    switch (kernel.kind) {
      case Kind::product:
        return ir::cat("matmul_cooperative.", kernel.operands, kernel.accumulator == ir::DType::f16 ? "acc16" : "",
                       kernel.result == kernel.operands ? "" : "_f32");
      case Kind::convolution:
        return ir::cat("conv_cooperative.", kernel.operands);
      case Kind::halo_convolution:
        return ir::cat("conv_halo.", kernel.operands);
      case Kind::attention:
        return "attention_coopmat";
      default:
        return ir::cat("attention_coopmat2.", kernel.operands);
    }
  };
  return ir::cat(name(), ' ', kernel.tile);
}

Slot Schedule::slot(std::size_t bytes, Residence residence) {
  slots.push_back({bytes, residence, {}});
  return slots.size() - 1;
}

std::size_t Schedule::bound_bytes(Slot slot) const {
  return std::max<std::size_t>((slots.at(slot).bytes + 3) / 4 * 4, 4);
}

}  // namespace plumb::gpu_vulkan::plan
