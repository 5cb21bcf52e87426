// Arg-max and arg-min of lines; lines that are too few to fill a device are cut into slices and done in two stages.
#include "gpu_vulkan/kernels/rows/arg_reduce.hpp"

#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

void lower_arg_reduce(std::int64_t axis, ArgExtreme extreme, plan::Slot to, std::uint32_t words, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto& [dtype, shape] = node.in_type(0);
  const ir::Lines lines = ir::along(shape, axis);
  const std::size_t width = ir::info(dtype).bytes;
  const std::string shader = copy::word_variant("arg_reduce", width, node);
  const std::uint32_t encoding = common::encoding_of(dtype);
  LineShare share = share_lines(node.facts(), lines.count(), lines.length, lines.inner);
  const std::int64_t pack = elementwise::pack_size(dtype);
  const bool is_packed = lines.inner == 1 && pack > 1 && lines.length % pack == 0;
  if (is_packed) share.cut_at_multiples(pack);
  struct Block {
    std::uint32_t lines, length, inner, slices, slice_length;
  };
  const auto dispatch = [&](LineStage stage, const LineShare& by, std::vector<plan::Slot> reads,
                            std::vector<plan::Slot> writes) {
    node.dispatch({
        .shader = {shader,
                   {{"invocations", by.threads},
                    {"lanes", by.lanes},
                    {"lines_fastest", stage != LineStage::second && lines.inner > 1},
                    {"stage", stage},
                    {"encoding", encoding},
                    {"smallest", extreme.smallest},
                    {"select_last", extreme.last},
                    {"index_words", words},
                    {"is_packed", is_packed}}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.count()), static_cast<std::uint32_t>(lines.length),
                      static_cast<std::uint32_t>(lines.inner), share.slices, share.slice_length},
        .groups = plan::groups_for((lines.count() + by.lines_in_group() - 1) / by.lines_in_group() *
                                   (stage == LineStage::first ? share.slices : 1)),
    });
  };
  const plan::Slot x = node.in(0);
  if (share.slices == 1) return dispatch(LineStage::whole, share, {x}, {to, to});
  const std::size_t partial_bytes = width == 8 ? 16 : 8;
  const plan::Slot partials = node.scratch(static_cast<std::size_t>(lines.count()) * share.slices * partial_bytes);
  dispatch(LineStage::first, share, {x}, {partials, to});
  dispatch(LineStage::second, share_lines(node.facts(), lines.count(), share.slices), {x, partials}, {to});
}

}  // namespace plumb::gpu_vulkan::kernels::rows
