#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/attention.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

using Extents = ir::ops::Attention::Extents;

/// Strides between the heads and between the rows of q, k, v or y, in elements. The stride between batches is
/// max(heads * head, rows * row).
struct HeadStrides {
  std::uint32_t head, row;
};

/// The strides of a dense tensor.
HeadStrides dense_strides(ir::ops::AttentionLayout layout, std::int64_t heads, std::int64_t rows, std::int64_t width);

/// Where q, k and v lie in the tensors that the node reads, in elements.
struct OperandPlaces {
  std::array<HeadStrides, 3> strides;
  std::array<std::uint32_t, 3> begins = {};
};

/// Chooses a kernel for attention of these extents over the operands of the node. Unless bias_masks, a bias of -inf is
/// a score as any other, which has no influence beside others but makes NaN of a row that has it throughout.
void lower_attention(const ir::ops::Attention& op, const Extents& n, const OperandPlaces& places, bool bias_masks,
                     plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::attention
