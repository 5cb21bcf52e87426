// The dtype in which kernels accumulate, and the publishing of how they add, for the error models.
#include "gpu_vulkan/kernels/common/sums.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::kernels::common {

using ir::DType;

std::vector<ir::SumLevel> without_single(std::vector<ir::SumLevel> levels) {
  std::erase_if(levels, [](const ir::SumLevel& level) { return level.count == 1; });
  return levels;
}

std::optional<DType> accumulator_of(DType operands) {
  if (ir::is_complex(operands)) return operands == DType::c64 ? DType::f32 : DType::f64;
  if (!ir::is_float(operands)) return std::nullopt;
  return operands == DType::f64 ? DType::f64 : DType::f32;
}

void publish(ir::Sum sum, DType operands, plan::Lowering& node) {
  const auto accumulator = accumulator_of(operands);
  if (!accumulator) return;
  sum.accumulator = *accumulator;
  node.adds(std::move(sum));
}

}  // namespace plumb::gpu_vulkan::kernels::common
