// Publishes the three sums of an attention kernel, of scores, weights and values, with what follows each of them.
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

void publish_sums(AttentionSums sums, const ir::ops::Attention& op, plan::Lowering& node) {
  sums.scores.of = ir::SumName::scores;
  sums.scores.epilogue = {ir::SumStep::scale};
  if (op.softcap > 0) sums.scores.epilogue.push_back(ir::SumStep::softcap);
  if (op.has_bias) sums.scores.epilogue.push_back(ir::SumStep::bias);
  sums.row_sum.of = ir::SumName::row_sum;
  sums.values.of = ir::SumName::values;
  sums.values.epilogue = {ir::SumStep::division};
  sums.scores.is_rounded = sums.row_sum.is_rounded = true;
  sums.row_sum.rescale = sums.values.rescale = sums.block;
  for (ir::Sum* sum : {&sums.scores, &sums.row_sum, &sums.values})
    common::publish(std::move(*sum), node.in_type(0).dtype, node);
}

}  // namespace plumb::gpu_vulkan::kernels::attention
