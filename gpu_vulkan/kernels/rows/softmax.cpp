// Softmax and log-softmax along any axis: rows held in registers by subgroups, else lines shared by lanes.
#include "gpu_vulkan/kernels/rows/softmax.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"
#include "gpu_vulkan/kernels/rows/rows.hpp"

namespace plumb::gpu_vulkan::kernels::rows {
namespace {

void emit_rows(std::string_view name, const HeldRows& held, const ir::Lines& lines, plan::Lowering& node) {
  struct Block {
    std::uint32_t rows, row_units;
  };
  node.adds({.of = ir::SumName::row_sum,
             .levels = common::without_single({common::chain(), common::lanes(4), common::lanes(held.lanes)}),
             .order = held.is_packed ? common::order::shuffled_pieces : common::order::shuffled,
             .is_rounded = true});
  node.dispatch({
      .shader = held.shader(ir::cat(name, "_rows.", elementwise::variant_of(node.in_type(0).dtype, node.facts()))),
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(lines.count()), held.row_units},
      .groups = held.groups(lines.count()),
  });
}

void emit_lines(std::string_view name, const LineShare& share, const ir::Lines& lines, plan::Lowering& node) {
  struct Block {
    std::uint32_t lines, length, inner, slices, slice_length;
  };
  common::publish({.of = ir::SumName::row_sum, .levels = compensated_levels(share, share), .is_rounded = true},
                  node.in_type(0).dtype, node);
  const auto dispatch = [&](LineStage stage, std::vector<plan::Slot> reads, std::vector<plan::Slot> writes) {
    node.dispatch({
        .shader = {ir::cat(name, ".", node.in_type(0).dtype),
                   {{"invocations", share.threads},
                    {"lanes", share.lanes},
                    {"lines_fastest", lines.inner > 1},
                    {"stage", stage}}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.count()), static_cast<std::uint32_t>(lines.length),
                      static_cast<std::uint32_t>(lines.inner), share.slices, share.slice_length},
        .groups = share.groups(lines.count()),
    });
  };
  const plan::Slot x = node.in(0), y = node.out(0);
  // In one piece there are no partials; but their binding counts as written, so it must be none of what is read.
  if (share.slices == 1) return dispatch(LineStage::whole, {x}, {y, y});
  const std::size_t pair = node.in_type(0).dtype == ir::DType::f64 ? 2 * sizeof(double) : 2 * sizeof(float);
  const plan::Slot partials = node.scratch(static_cast<std::size_t>(lines.count()) * share.slices * pair);
  dispatch(LineStage::first, {x}, {partials, y});
  dispatch(LineStage::second, {x, partials}, {y});
}

}  // namespace

void lower_softmax(std::string_view name, std::int64_t axis, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype;
  const ir::Lines lines = ir::along(node.in_type(0).shape, axis);
  const LineShare share = share_lines(node.facts(), lines.count(), lines.length, lines.inner);
  RowsChoice rows = hold_rows(node.facts(), share, lines, elementwise::pack_size(dtype));
  if (dtype == ir::DType::f64) rows.refusal = "rows are held in f32";
  node.choose({
      {"rows", device::KernelFamily::rows,
       [&] { return plan::attempt_of(rows.refusal, [&] { emit_rows(name, rows.held, lines, node); }); }},
      {"lines", device::KernelFamily::lines,
       [&] { return plan::Emission{[&] { emit_lines(name, share, lines, node); }}; }},
  });
}

}  // namespace plumb::gpu_vulkan::kernels::rows
