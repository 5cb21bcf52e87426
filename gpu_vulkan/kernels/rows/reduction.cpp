#include "gpu_vulkan/kernels/rows/reduction.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"

namespace plumb::gpu_vulkan::kernels::rows {
namespace {

using ir::DType;
using ir::ops::ReduceFunction;

/// Axes of a kind, neighbours joined, innermost first.
struct Axes {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 4> extents{1, 1, 1, 1}, strides{};
  std::int64_t elements = 1;

  void add(std::int64_t extent, std::int64_t stride) {
    extents.at(count) = static_cast<std::uint32_t>(extent);
    strides.at(count++) = static_cast<std::uint32_t>(stride);
    elements *= extent;
  }
};

struct SplitAxes {
  Axes kept, reduced;
  std::int64_t columns = 1;  ///< neighbouring elements that belong to different outputs
};

SplitAxes split(const ir::Shape& x, const std::vector<bool>& is_reduced) {
  std::vector<std::pair<std::int64_t, bool>> groups;  // innermost first, kinds alternating: at most 4 of each
  for (std::size_t a = x.size(); a-- > 0;) {
    if (x[a] == 1) continue;
    if (!groups.empty() && groups.back().second == is_reduced[a])
      groups.back().first *= x[a];
    else
      groups.emplace_back(x[a], is_reduced[a]);
  }
  SplitAxes split;
  if (!groups.empty() && !groups[0].second) split.columns = groups[0].first;
  std::int64_t stride = 1;
  for (const auto& group : groups) {
    (group.second ? split.reduced : split.kept).add(group.first, stride);
    stride *= group.first;
  }
  for (Axes* axes : {&split.kept, &split.reduced}) axes->count = std::max(1u, axes->count);
  return split;
}

struct Block {
  std::uint32_t outputs, terms, slices, slice_terms;
  std::uint32_t count;
  std::uint32_t padding[3];
  std::array<std::uint32_t, 4> kept_extents, kept_strides, reduced_extents, reduced_strides;
};

/// The neighbours that reduce.comp reads as one pack: neighbouring terms, or terms of neighbouring outputs.
enum class Packed : std::uint32_t { nothing, terms, outputs };

Packed packed_of(const SplitAxes& split, std::int64_t pack) {
  if (pack == 1) return Packed::nothing;
  if (split.columns > 1) return split.columns % pack == 0 ? Packed::outputs : Packed::nothing;
  const bool are_neighbours = split.reduced.strides[0] == 1;
  return are_neighbours && split.reduced.extents[0] % pack == 0 ? Packed::terms : Packed::nothing;
}

struct Fold {
  DType dtype;
  ReduceFunction function;
  std::uint32_t count;  ///< terms of an output of the node
};

struct Pass {
  SplitAxes split;
  LineShare share;
  Packed packed = Packed::nothing;
  bool of_partials = false;
};

void dispatch(plan::Lowering& node, const Fold& fold, const Pass& pass, plan::Slot from, plan::Slot to) {
  const auto& [split, share, packed, of_partials] = pass;
  const bool columns = split.columns > 1, to_partials = share.slices > 1;
  node.dispatch({
      .shader = {ir::cat("reduce.", fold.dtype),
                 {{"invocations", share.threads},
                  {"lanes", share.lanes},
                  {"lines_fastest", columns},
                  {"function", fold.function},
                  {"kept_axes", split.kept.count},
                  {"reduced_axes", split.reduced.count},
                  {"of_partials", of_partials},
                  {"to_partials", to_partials},
                  {"packed", packed}}},
      .reads = {from},
      .writes = {to},
      .push = Block{static_cast<std::uint32_t>(split.kept.elements),
                    static_cast<std::uint32_t>(split.reduced.elements),
                    share.slices,
                    share.slice_length,
                    fold.count,
                    {},
                    split.kept.extents,
                    split.kept.strides,
                    split.reduced.extents,
                    split.reduced.strides},
      .groups = share.groups(packed == Packed::outputs ? split.kept.elements / elementwise::pack_size(fold.dtype)
                                                       : split.kept.elements),
  });
}

bool sums(ReduceFunction function) {
  return function != ReduceFunction::product && function != ReduceFunction::max && function != ReduceFunction::min;
}

/// Bytes of a partial result: what glsl/reduce_*.glsl call HELD.
std::size_t partial_bytes(DType dtype) {
  if (dtype == DType::f64) return 16;
  return ir::is_float(dtype) || dtype == DType::i64 ? 8 : 4;
}

}  // namespace

void reduce(ReduceFunction function, const ir::TensorType& x, const std::vector<bool>& reduced, plan::Slot from,
            plan::Slot to, plan::Lowering& node) {
  const DType dtype = x.dtype;
  Pass whole{.split = split(x.shape, reduced), .share = {}};
  const std::int64_t outputs = whole.split.kept.elements, terms = whole.split.reduced.elements;
  const std::int64_t pack = elementwise::pack_size(dtype), columns = whole.split.columns;
  whole.packed = packed_of(whole.split, pack);
  const Fold fold{dtype, function, static_cast<std::uint32_t>(terms)};
  const auto publish = [&](const LineShare& second) {
    if (!sums(function)) return;
    ir::Sum sum{.of = ir::ops::sum_name(function), .levels = compensated_levels(whole.share, second)};
    if (whole.packed == Packed::terms) sum.order = common::order::pieces;
    if (function == ReduceFunction::l2) sum.epilogue = {ir::SumStep::root};
    common::publish(std::move(sum), dtype, node);
  };
  // Packs of outputs have four reads of 16 bytes under way in an invocation: half as many fill a device.
  whole.share = whole.packed == Packed::outputs ? share_lines(node.facts(), outputs / pack, terms, columns / pack, 512)
                                                : share_lines(node.facts(), outputs, terms, columns);
  if (whole.packed == Packed::terms) whole.share.cut_at_multiples(pack);
  if (whole.share.slices == 1) {
    publish(whole.share);
    return dispatch(node, fold, whole, from, to);
  }
  const std::int64_t slices = whole.share.slices;
  const plan::Slot scratch = node.scratch(static_cast<std::size_t>(outputs * slices) * partial_bytes(dtype));
  dispatch(node, fold, whole, from, scratch);
  Pass rest{.split = {}, .share = share_lines(node.facts(), outputs, slices), .of_partials = true};
  rest.split.kept.add(outputs, slices);
  rest.split.reduced.add(slices, 1);
  publish(rest.share);
  rest.share.slices = 1;
  rest.share.slice_length = whole.share.slices;
  dispatch(node, fold, rest, scratch, to);
}

}  // namespace plumb::gpu_vulkan::kernels::rows
