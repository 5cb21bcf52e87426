// Lowers quantising and dequantising in reals to one elementwise kernel, over which scale and zero point broadcast.
#include "ir/ops/fake_quantize.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::FakeQuantize& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, shape] = node.in_type(0);
  const ir::Shape of_scale = op.along_axis(shape, node.in_type(1).shape);
  kernels::elementwise::elementwise({.shader = ir::cat("fake_quantize.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"q_min", plan::word(op.q_min)},
                                                   {"q_max", plan::word(op.q_max)},
                                                   {"has_zero_point", op.has_zero_point}},
                                     .operands = {}},
                                    {.reads = {node.in(0), node.in(1), node.in(op.has_zero_point ? 2 : 0)},
                                     .shapes = {shape, of_scale, of_scale},
                                     .write = node.out(0),
                                     .result = shape},
                                    node);
}

}  // namespace plumb::gpu_vulkan
