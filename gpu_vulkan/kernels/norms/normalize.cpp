#include "gpu_vulkan/kernels/norms/normalize.hpp"

#include <algorithm>
#include <span>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"
#include "gpu_vulkan/kernels/rows/rows.hpp"

namespace plumb::gpu_vulkan::kernels::norms {
namespace {

using Strides = std::array<std::uint32_t, 8>;

/// The axes of scale and bias, innermost first: those within a line, then those across lines.
struct Axes {
  Strides extents{}, scale_strides{}, bias_strides{};
  std::uint32_t inner = 0, outer = 0;
};

/// Writes the axes [begin, end) from `next` on, innermost first, those
/// joined that scale and bias walk as one. Returns how many there are.
std::uint32_t write_axes(const Normalize& norm, std::size_t begin, std::size_t end, std::uint32_t next, Axes& axes) {
  const std::uint32_t first = next;
  for (std::size_t a = end; a-- > begin;) {
    const auto extent = static_cast<std::uint32_t>(norm.shape[a]);
    const auto scale = static_cast<std::uint32_t>(norm.scale_strides[a]);
    const auto bias = static_cast<std::uint32_t>(norm.bias_strides[a]);
    if (extent == 1) continue;
    if (next > first) {
      const std::uint32_t inner = axes.extents[next - 1];
      if (scale == axes.scale_strides[next - 1] * inner && bias == axes.bias_strides[next - 1] * inner) {
        axes.extents[next - 1] *= extent;
        continue;
      }
    }
    axes.extents.at(next) = extent;
    axes.scale_strides.at(next) = scale;
    axes.bias_strides.at(next++) = bias;
  }
  return next - first;
}

Axes axes_of(const Normalize& norm) {
  Axes axes;
  axes.inner = write_axes(norm, norm.first, norm.shape.size(), 0, axes);
  axes.outer = write_axes(norm, 0, norm.first, axes.inner, axes);
  return axes;
}

/// How glsl/normalize_rows.glsl reads scale or bias.
enum class Walk : std::uint32_t { absent, by_unit, stretched, by_element };

Walk walk_of(bool is_there, const Strides& strides, const Axes& axes, std::uint32_t width) {
  if (!is_there) return Walk::absent;
  if (axes.inner == 0 || (strides[0] == 0 && axes.extents[0] % width == 0)) return Walk::stretched;
  const auto across = std::span(strides).subspan(axes.inner);
  const bool is_shared = std::ranges::all_of(across, [](std::uint32_t stride) { return stride == 0; });
  return width > 1 && axes.inner == 1 && strides[0] == 1 && is_shared ? Walk::by_unit : Walk::by_element;
}

struct NormSlots {
  plan::Slot x, y, scale, bias, residual;
};

/// y, and mean and inverse deviation where the shader can write them.
std::vector<plan::Slot> results(const Normalize& norm, const NormSlots& slots, const plan::Lowering& node) {
  std::vector<plan::Slot> writes = {slots.y};
  if (norm.has_statistics)
    for (const std::size_t i : {1, 2}) writes.push_back(node.outputs() > 1 ? node.out(i) : slots.y);
  return writes;
}

/// Publishes the sums of a line, which both have the same levels. The mean goes on as two numbers.
void publish_sums(const Normalize& norm, const ir::Sum& squares, plan::Lowering& node) {
  if (norm.is_centered) {
    ir::Sum mean = squares;
    mean.of = ir::SumName::mean;
    mean.unit = ir::SumUnit::separate;
    node.adds(std::move(mean));
  }
  ir::Sum variance = squares;
  variance.of = norm.is_centered ? ir::SumName::variance : ir::SumName::squares;
  variance.is_rounded = true;
  node.adds(std::move(variance));
}

void emit_rows(const Normalize& norm, const NormSlots& slots, const rows::HeldRows& held, const ir::Lines& lines,
               plan::Lowering& node) {
  struct Block {
    std::uint32_t rows, row_length;
    float epsilon, inverse_length;
    Strides extents, scale_strides, bias_strides;
  };
  publish_sums(norm,
               {.unit = ir::SumUnit::either,
                .levels = common::without_single(
                    {common::chain(lines.length / held.row_units), common::chain(), common::lanes(held.lanes)}),
                .order = held.is_packed ? common::order::shuffled_pieces : common::order::shuffled},
               node);
  const Axes axes = axes_of(norm);
  const auto width = static_cast<std::uint32_t>(lines.length / held.row_units);
  const auto walk = [&](bool is_there, const Strides& strides) { return walk_of(is_there, strides, axes, width); };
  std::vector<plan::Slot> reads = {slots.x, slots.scale, slots.bias};
  if (norm.has_statistics) reads.push_back(slots.residual);
  node.dispatch({
      .shader = held.shader(ir::cat(norm.name, "_rows.", elementwise::variant_of(node.in_type(0).dtype, node.facts())),
                            {{"inner_axes", axes.inner},
                             {"outer_axes", axes.outer},
                             {"scale_walk", walk(norm.has_scale, axes.scale_strides)},
                             {"bias_walk", walk(norm.has_bias, axes.bias_strides)},
                             {"statistics", node.outputs() > 1},
                             {"has_residual", norm.has_residual}}),
      .reads = std::move(reads),
      .writes = results(norm, slots, node),
      .push = Block{static_cast<std::uint32_t>(lines.outer), static_cast<std::uint32_t>(lines.length),
                    static_cast<float>(norm.epsilon), static_cast<float>(1.0 / static_cast<double>(lines.length)),
                    axes.extents, axes.scale_strides, axes.bias_strides},
      .groups = held.groups(lines.outer),
  });
}

void emit_lines(const Normalize& norm, const NormSlots& slots, const rows::LineShare& share, const ir::Lines& lines,
                plan::Lowering& node) {
  struct Block {
    std::uint32_t lines, length, slices, slice_length;
    std::array<std::uint32_t, 2> epsilon;
    Strides extents, scale_strides, bias_strides;
  };
  const ir::DType computed = node.in_type(0).dtype == ir::DType::f64 ? ir::DType::f64 : ir::DType::f32;
  publish_sums(norm, {.accumulator = computed, .levels = rows::compensated_levels(share, share)}, node);
  const Axes axes = axes_of(norm);
  const auto dispatch = [&](rows::LineStage stage, std::vector<plan::Slot> reads, std::vector<plan::Slot> writes) {
    for (const plan::Slot slot : results(norm, slots, node)) writes.push_back(slot);
    node.dispatch({
        .shader = {ir::cat(norm.name, ".", node.in_type(0).dtype),
                   {{"invocations", share.threads},
                    {"lanes", share.lanes},
                    {"lines_fastest", false},
                    {"stage", stage},
                    {"inner_axes", axes.inner},
                    {"outer_axes", axes.outer},
                    {"has_scale", norm.has_scale},
                    {"has_bias", norm.has_bias},
                    {"statistics", node.outputs() > 1}}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = Block{static_cast<std::uint32_t>(lines.outer), static_cast<std::uint32_t>(lines.length), share.slices,
                      share.slice_length, common::words_of(norm.epsilon, computed), axes.extents, axes.scale_strides,
                      axes.bias_strides},
        .groups = share.groups(lines.outer),
    });
  };
  // In one piece there are no partials; but their binding counts as written, so it must be none of what is read.
  if (share.slices == 1) return dispatch(rows::LineStage::whole, {slots.x, slots.scale, slots.bias}, {slots.y});
  const std::size_t moments = 4 * ir::info(computed).bytes;
  const plan::Slot partials = node.scratch(static_cast<std::size_t>(lines.outer) * share.slices * moments);
  dispatch(rows::LineStage::first, {slots.x, slots.scale, slots.bias}, {partials});
  dispatch(rows::LineStage::second, {slots.x, slots.scale, slots.bias, partials}, {});
}

std::optional<std::string> refuse_lines(const Normalize& norm) {
  if (norm.has_residual) return "a residual is added to rows only";
  return std::nullopt;
}

}  // namespace

void lower_normalize(const Normalize& norm, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype;
  const ir::Lines lines = ir::lines_from(norm.shape, static_cast<std::int64_t>(norm.first));
  const rows::LineShare share = rows::share_lines(node.facts(), lines.outer, lines.length);
  const plan::Slot x = norm.x.value_or(node.in(0));
  const std::size_t last = node.inputs() - 1;
  const NormSlots slots{x, norm.y.value_or(node.out(0)), norm.has_scale ? node.in(1) : x,
                        norm.has_bias ? node.in(norm.has_residual ? last - 1 : last) : x,
                        norm.has_residual ? node.in(last) : x};
  rows::RowsChoice rows = rows::hold_rows(node.facts(), share, lines, elementwise::pack_size(dtype));
  if (dtype == ir::DType::f64) rows.refusal = "rows are held in f32";
  node.choose({
      {"rows", device::KernelFamily::rows,
       [&] { return plan::attempt_of(rows.refusal, [&] { emit_rows(norm, slots, rows.held, lines, node); }); }},
      {"lines", device::KernelFamily::lines,
       [&] { return plan::attempt_of(refuse_lines(norm), [&] { emit_lines(norm, slots, share, lines, node); }); }},
  });
}

}  // namespace plumb::gpu_vulkan::kernels::norms
