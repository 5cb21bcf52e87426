#include "ir/ops/cumulative.hpp"

#include "gpu_vulkan/lines.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using Function = ir::ops::CumulativeFunction;

/// As reduce.comp numbers them.
constexpr std::uint32_t number_of(Function function) {
  switch (function) {
    case Function::product:
      return 2;
    case Function::max:
      return 3;
    case Function::min:
      return 4;
    default:
      return 0;
  }
}

/// Bytes of what the shader calls HELD.
std::size_t partial_bytes(DType dtype) {
  if (dtype == DType::f64 || dtype == DType::c128) return 16;
  return ir::is_float(dtype) || dtype == DType::i64 || dtype == DType::c64 ? 8 : 4;
}

}  // namespace

void lower(const ir::ops::Cumulative& op, Lowering& node) {
  node.needs_its_types();
  DType dtype = node.in_type(0).dtype;
  ir::Lines lines = ir::along(node.in_type(0).shape, op.axis);
  if (ir::is_complex(dtype) && op.function == Function::sum) {  // goes by component: one more axis, of 2
    dtype = dtype == DType::c64 ? DType::f32 : DType::f64;
    lines.inner *= 2;
  }
  const LineShare share = share_lines(node.facts(), lines.count(), lines.length, lines.inner);
  struct Block {
    std::uint32_t lines, length, inner, slices, slice_length;
  };
  const auto dispatch = [&](LineStage stage, std::vector<Slot> reads, std::vector<Slot> writes) {
    node.dispatch({
        .shader = {ir::cat("cumulative.", dtype),
                   {share.threads, share.lanes, lines.inner > 1, static_cast<std::uint32_t>(stage),
                    number_of(op.function), op.exclusive, op.reverse}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.count()), static_cast<std::uint32_t>(lines.length),
                      static_cast<std::uint32_t>(lines.inner), share.slices, share.slice_length},
        .groups = share.groups(lines.count()),
    });
  };
  const Slot x = node.in(0), y = node.out(0);
  if (share.slices == 1) return dispatch(LineStage::whole, {x}, {y, y});
  const Slot partials = node.scratch(static_cast<std::size_t>(lines.count()) * share.slices * partial_bytes(dtype));
  dispatch(LineStage::first, {x}, {partials, y});
  dispatch(LineStage::second, {x, partials}, {y});
}

}  // namespace plumb::gpu_vulkan
