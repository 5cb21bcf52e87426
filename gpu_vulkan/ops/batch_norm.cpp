#include "ir/ops/batch_norm.hpp"

#include <bit>

#include "gpu_vulkan/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::BatchNorm& op, Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& x = node.in_type(0);
  ir::Shape channels(x.shape.size(), 1);
  const std::size_t axis = x.shape.axis(op.axis);
  channels[axis] = x.shape[axis];
  const bool is_f64 = x.dtype == ir::DType::f64;
  const auto words = is_f64 ? std::bit_cast<std::array<std::uint32_t, 2>>(op.epsilon)
                            : std::array{std::bit_cast<std::uint32_t>(static_cast<float>(op.epsilon)), 0u};
  elementwise({.shader = ir::cat("batch_norm.", x.dtype),
               .pack = pack_size(x.dtype),
               .constants = {words[0], words[1]},
               .operands = {0, 1},
               .shapes = {x.shape, channels},
               .alike = {2, 3, 4}},
              node);
}

}  // namespace plumb::gpu_vulkan
