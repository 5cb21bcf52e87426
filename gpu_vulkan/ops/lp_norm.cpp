// Lowers lp normalisation of lines by compensated sums of powers, in slices where there are too few lines.
#include "ir/ops/lp_norm.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::LpNorm& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype;
  const ir::Lines lines = ir::along(node.in_type(0).shape, op.axis);
  const kernels::rows::LineShare share =
      kernels::rows::share_lines(node.facts(), lines.count(), lines.length, lines.inner);
  struct Block {
    std::uint32_t lines, length, inner, slices, slice_length;
  };
  const auto dispatch = [&](kernels::rows::LineStage stage, std::vector<plan::Slot> reads,
                            std::vector<plan::Slot> writes) {
    node.dispatch({
        .shader = {ir::cat("lp_norm.", dtype),
                   {{"invocations", share.threads},
                    {"lanes", share.lanes},
                    {"lines_fastest", lines.inner > 1},
                    {"stage", stage},
                    {"squared", op.p == 2}}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.count()), static_cast<std::uint32_t>(lines.length),
                      static_cast<std::uint32_t>(lines.inner), share.slices, share.slice_length},
        .groups = share.groups(lines.count()),
    });
  };
  kernels::common::publish(
      {.of = ir::SumName::powers, .levels = kernels::rows::compensated_levels(share, share), .is_rounded = true}, dtype,
      node);
  const plan::Slot x = node.in(0), y = node.out(0);
  // In one piece there are no partials; but their binding counts as written, so it must be none of what is read.
  if (share.slices == 1) return dispatch(kernels::rows::LineStage::whole, {x}, {y, y});
  const std::size_t pair = dtype == ir::DType::f64 ? 16 : 8;
  const plan::Slot partials = node.scratch(static_cast<std::size_t>(lines.count()) * share.slices * pair);
  dispatch(kernels::rows::LineStage::first, {x}, {partials, y});
  dispatch(kernels::rows::LineStage::second, {x, partials}, {y});
}

}  // namespace plumb::gpu_vulkan
