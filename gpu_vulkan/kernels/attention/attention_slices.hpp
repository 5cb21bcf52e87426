#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/attention.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

/// Which keys the position of a query lets it see: those with lowest <= j - i <= highest,
/// after the query's own shift where there is no query_offset.
struct Sight {
  std::int32_t lowest, highest;
};

/// Strides between the heads and between the rows of q, k, v or y. One batch is from the next what its heads or its
/// rows take up, whichever is more.
struct HeadStrides {
  std::uint32_t head, row;
};

/// What glsl/attention.glsl declares as push constants.
struct AttentionBlock {
  std::uint32_t tasks, Hq, share, Sq, Sk;
  HeadStrides q, k, v, y;
  std::array<std::uint32_t, 4> mask_strides, bias_strides;
  float scale, softcap;
  Sight sight;
  std::uint32_t bottom_right, slices;
  std::array<std::uint32_t, 3> begins = {};  ///< of q, k and v
};

struct AttentionOperands {
  std::vector<plan::Slot> reads;
  std::uint32_t length_words = 0;  ///< of each of kv_lengths
};

/// Attention of few queries to many keys, which are cut into slices so that every multiprocessor has some
/// (attention_slices.comp, attention_combine.comp).
struct SlicedAttention {
  const ir::ops::Attention& op;
  ir::ops::Attention::Extents n;
  AttentionBlock block;
  const AttentionOperands& operands;
  bool hides;  ///< some keys may be hidden from some queries
};

std::optional<std::string> refuse_slices(const SlicedAttention& attention, const plan::Lowering& node);
void emit_slices(const SlicedAttention& attention, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::attention
