// Lowers batch normalisation of inference, elementwise: scale, bias, mean and variance are broadcast by channel.
#include "ir/ops/batch_norm.hpp"

#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::BatchNorm& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& x = node.in_type(0);
  ir::Shape channels(x.shape.size(), 1);
  const std::size_t axis = x.shape.axis(op.axis);
  channels[axis] = x.shape[axis];
  const auto words = kernels::common::words_of(op.epsilon, x.dtype);
  const kernels::elementwise::Elementwise kernel{.shader = ir::cat("batch_norm.", x.dtype),
                                                 .pack = kernels::elementwise::pack_size(x.dtype),
                                                 .constants = {{"epsilon_low", words[0]}, {"epsilon_high", words[1]}},
                                                 .operands = {}};
  kernels::elementwise::elementwise(kernel,
                                    {.reads = {node.in(0), node.in(1), node.in(2), node.in(3), node.in(4)},
                                     .shapes = {x.shape, channels},
                                     .write = node.out(0),
                                     .result = x.shape},
                                    node);
}

}  // namespace plumb::gpu_vulkan
