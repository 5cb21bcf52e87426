#pragma once

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "ir/ops/attention.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

/// How a kernel of attention adds: products of queries and keys, weights of a row, products of weights and values. The
/// last two are scaled by a running maximum after every block of keys.
struct AttentionSums {
  ir::Sum scores, row_sum, values;
  std::int64_t block = 0;  ///< keys
};

/// Publishes the sums with their names and what follows each: scale, softcap and bias of scores, the division of
/// values.
void publish_sums(AttentionSums sums, const ir::ops::Attention& op, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::attention
