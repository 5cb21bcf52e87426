// Lowers attention whose q, k and v are strided views of larger tensors, which a pass makes, to the same kernels.
#include "gpu_vulkan/fused_ops/viewed_attention.hpp"

#include "gpu_vulkan/kernels/attention/attention.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {

void lower(const ViewedAttention& op, plan::Lowering& node) {
  kernels::attention::OperandPlaces places{};
  for (std::size_t i = 0; i < 3; ++i) {
    places.strides[i] = {plan::word(op.heads[i]), plan::word(op.rows[i])};
    places.begins[i] = plan::word(op.offsets[i]);
  }
  kernels::attention::lower_attention(op, op.extents(), places, op.bias_masks, node);
}

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::ViewedAttention>();
