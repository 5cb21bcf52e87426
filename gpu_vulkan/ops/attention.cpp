// Lowers attention of dense operands: their strides follow from the layout, and the attention kernels are asked.
#include "gpu_vulkan/kernels/attention/attention.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Attention& op, plan::Lowering& node) {
  using kernels::attention::dense_strides;
  const auto n = op.extents(node.in_type(0).shape, node.in_type(1).shape, node.in_type(2).shape);
  const kernels::attention::OperandPlaces dense{{dense_strides(op.layout, n.Hq, n.Sq, n.D),
                                                 dense_strides(op.layout, n.Hk, n.Sk, n.D),
                                                 dense_strides(op.layout, n.Hk, n.Sk, n.Dv)}};
  kernels::attention::lower_attention(op, n, dense, true, node);
}

}  // namespace plumb::gpu_vulkan
