// Lowers a quantiser that finds its scale: the ends of stretches, then of all, then codes.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/elementwise/scaled.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DynamicQuantizeLinear&, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType x = node.in_type(0).dtype, computed = node.out_type(1).dtype;
  const bool is_f64 = computed == ir::DType::f64;
  constexpr std::uint32_t threads = 128;
  constexpr std::int64_t shortest = 16 * threads, most_stretches = 1024;
  const std::int64_t count = node.in_type(0).shape.elements();
  const std::int64_t stretch = std::max(shortest, (count + most_stretches - 1) / most_stretches);
  const std::int64_t stretches = (count + stretch - 1) / stretch;
  const plan::Slot ends = node.scratch(2 * ir::TensorType{computed, {stretches}}.bytes());
  struct Block {
    std::uint32_t count, stretch;
  };
  node.dispatch({.shader = {ir::cat("dynamic_quantize_linear_range.", x), {{"invocations", threads}}},
                 .reads = {node.in(0)},
                 .writes = {ends},
                 .push = Block{plan::word(count), plan::word(stretch)},
                 .groups = plan::groups_for(stretches)});
  const plan::Slot zero = node.scratch(sizeof(std::int32_t));
  node.dispatch({.shader = {ir::cat("dynamic_quantize_linear.", computed), {{"invocations", threads}}},
                 .reads = {ends},
                 .writes = {node.out(1), node.out(2), zero},
                 .push = plan::word(stretches),
                 .groups = plan::groups_for(1)});
  kernels::elementwise::scaled({.shader = "quantize_linear",
                                .x = node.in(0),
                                .scales = node.out(1),
                                .y = node.out(0),
                                .zeros = zero,
                                .from = x,
                                .to = ir::DType::u8,
                                .constants = {{"saturates", true}, {"least", 0u}, {"most", 255u}}},
                               is_f64, node);
  node.is_called(ir::cat("dynamic_quantize_linear.", computed));
}

}  // namespace plumb::gpu_vulkan
