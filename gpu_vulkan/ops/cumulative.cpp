#include "ir/ops/cumulative.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"
#include "gpu_vulkan/kernels/rows/rows.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using ir::ops::CumulativeFunction;

/// As reduce.comp numbers them.
constexpr std::uint32_t number_of(CumulativeFunction function) {
  switch (function) {
    case CumulativeFunction::product:
      return 2;
    case CumulativeFunction::max:
      return 3;
    case CumulativeFunction::min:
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

/// A scan as shaders see it: complex sums go by component.
struct Scan {
  DType dtype;
  ir::Lines lines;
};

kernels::rows::RowsChoice choose_rows(const Scan& scan, const kernels::rows::LineShare& share,
                                      const device::DeviceFacts& facts) {
  constexpr std::array with_kernel = {DType::f32, DType::f16, DType::bf16, DType::i32, DType::u32};
  if (std::ranges::find(with_kernel, scan.dtype) == with_kernel.end()) return {{}, ir::cat("not of ", scan.dtype)};
  return kernels::rows::stream_rows(facts, share, scan.lines, kernels::elementwise::pack_size(scan.dtype));
}

/// How each element is added up, from blocks of the line, `lanes` of them side by side, tile after tile.
void publish(const ir::ops::Cumulative& op, DType dtype, std::int64_t block, std::vector<ir::SumLevel> lanes,
             plan::Lowering& node) {
  if (op.function != CumulativeFunction::sum) return;
  std::vector<ir::SumLevel> levels = {kernels::common::chain(block)};
  levels.insert(levels.end(), lanes.begin(), lanes.end());
  levels.push_back(kernels::common::chain());
  levels = kernels::common::without_single(std::move(levels));
  std::ranges::transform(levels, levels.begin(), kernels::common::compensated);
  kernels::common::publish({.of = ir::SumName::prefix,
                            .levels = std::move(levels),
                            .order = op.reverse ? kernels::common::order::reversed : "contract"},
                           dtype, node);
}

void emit_rows(const ir::ops::Cumulative& op, const Scan& scan, const kernels::rows::HeldRows& rows,
               plan::Lowering& node) {
  struct Block {
    std::uint32_t rows, row_units;
  };
  const std::int64_t together = std::min(rows.lanes, rows.subgroup_size), parts = rows.lanes / together;
  const ir::SumJoin of_folds =
      parts > 1 && parts * rows.units <= rows.subgroup_size ? ir::SumJoin::pair : ir::SumJoin::chain;
  publish(op, scan.dtype, kernels::elementwise::pack_size(scan.dtype),
          {{.count = together, .join = ir::SumJoin::pair}, {.count = parts * rows.units, .join = of_folds}}, node);
  node.dispatch({
      .shader =
          rows.shader(ir::cat("cumulative_rows.", scan.dtype),
                      {{"function", number_of(op.function)}, {"exclusive", op.exclusive}, {"reverse", op.reverse}}),
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(scan.lines.count()), rows.row_units},
      .groups = rows.groups(scan.lines.count()),
  });
}

void emit_lines(const ir::ops::Cumulative& op, const Scan& scan, const kernels::rows::LineShare& share,
                plan::Lowering& node) {
  const ir::Lines& lines = scan.lines;
  struct Block {
    std::uint32_t lines, length, inner, slices, slice_length;
  };
  const auto dispatch = [&](kernels::rows::LineStage stage, std::vector<plan::Slot> reads,
                            std::vector<plan::Slot> writes) {
    node.dispatch({
        .shader = {ir::cat("cumulative.", scan.dtype),
                   {{"invocations", share.threads},
                    {"lanes", share.lanes},
                    {"lines_fastest", lines.inner > 1},
                    {"stage", stage},
                    {"function", number_of(op.function)},
                    {"exclusive", op.exclusive},
                    {"reverse", op.reverse}}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.count()), static_cast<std::uint32_t>(lines.length),
                      static_cast<std::uint32_t>(lines.inner), share.slices, share.slice_length},
        .groups = share.groups(lines.count()),
    });
  };
  constexpr std::int64_t each = 4;  // terms of an invocation in a tile
  publish(op, scan.dtype, each, {{.count = share.lanes, .join = ir::SumJoin::pair}}, node);
  const plan::Slot x = node.in(0), y = node.out(0);
  if (share.slices == 1) return dispatch(kernels::rows::LineStage::whole, {x}, {y, y});
  const std::size_t bytes = static_cast<std::size_t>(lines.count()) * share.slices * partial_bytes(scan.dtype);
  const plan::Slot partials = node.scratch(bytes);
  dispatch(kernels::rows::LineStage::first, {x}, {partials, y});
  dispatch(kernels::rows::LineStage::second, {x, partials}, {y});
}

}  // namespace

void lower(const ir::ops::Cumulative& op, plan::Lowering& node) {
  node.needs_its_types();
  Scan scan{node.in_type(0).dtype, ir::along(node.in_type(0).shape, op.axis)};
  if (ir::is_complex(scan.dtype) && op.function == CumulativeFunction::sum) {  // one more axis, of 2
    scan.dtype = scan.dtype == DType::c64 ? DType::f32 : DType::f64;
    scan.lines.inner *= 2;
  }
  const kernels::rows::LineShare share =
      kernels::rows::share_lines(node.facts(), scan.lines.count(), scan.lines.length, scan.lines.inner);
  const kernels::rows::RowsChoice rows = choose_rows(scan, share, node.facts());
  node.choose({
      {"rows", device::KernelFamily::rows,
       [&] { return plan::attempt_of(rows.refusal, [&] { emit_rows(op, scan, rows.held, node); }); }},
      {"lines", device::KernelFamily::lines,
       [&] { return plan::Emission{[&] { emit_lines(op, scan, share, node); }}; }},
  });
}

}  // namespace plumb::gpu_vulkan
