#include "gpu_vulkan/reduction.hpp"

#include "gpu_vulkan/lines.hpp"

namespace plumb::gpu_vulkan {
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

struct Split {
  Axes kept, reduced;
  std::int64_t columns = 1;  ///< neighbouring elements that belong to different outputs
};

Split split(const ir::Shape& x, const std::vector<bool>& is_reduced) {
  std::vector<std::pair<std::int64_t, bool>> groups;  // innermost first, kinds alternating: at most 4 of each
  for (std::size_t a = x.size(); a-- > 0;) {
    if (x[a] == 1) continue;
    if (!groups.empty() && groups.back().second == is_reduced[a])
      groups.back().first *= x[a];
    else
      groups.emplace_back(x[a], is_reduced[a]);
  }
  Split split;
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
  float count;
  std::uint32_t padding[3];
  std::array<std::uint32_t, 4> kept_extents, kept_strides, reduced_extents, reduced_strides;
};

struct Fold {
  DType dtype;
  ReduceFunction function;
  float count;  ///< terms of an output of the node
};

void dispatch(Lowering& node, const Fold& fold, const Split& split, const LineShare& share, bool of_partials, Slot from,
              Slot to) {
  const bool columns = split.columns > 1, to_partials = share.slices > 1;
  node.dispatch({
      .shader = {ir::cat("reduce.", fold.dtype),
                 {share.threads, share.lanes, columns, static_cast<std::uint32_t>(fold.function), split.kept.count,
                  split.reduced.count, of_partials, to_partials}},
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
      .groups = share.groups(split.kept.elements),
  });
}

/// Bytes of a partial result: what glsl/reduce_*.glsl call HELD.
std::size_t partial_bytes(DType dtype) {
  if (dtype == DType::f64) return 16;
  return ir::is_float(dtype) || dtype == DType::i64 ? 8 : 4;
}

}  // namespace

void reduce(ReduceFunction function, const ir::TensorType& x, const std::vector<bool>& reduced, Slot from, Slot to,
            Lowering& node) {
  const DType dtype = x.dtype;
  const Split whole = split(x.shape, reduced);
  const Fold fold{dtype, function, static_cast<float>(whole.reduced.elements)};
  const LineShare share = share_lines(node.facts(), whole.kept.elements, whole.reduced.elements, whole.columns);
  if (share.slices == 1) return dispatch(node, fold, whole, share, false, from, to);
  const auto partials = whole.kept.elements * share.slices;
  const Slot scratch = node.scratch(static_cast<std::size_t>(partials) * partial_bytes(dtype));
  dispatch(node, fold, whole, share, false, from, scratch);
  Split rest;
  rest.kept.add(whole.kept.elements, share.slices);
  rest.reduced.add(share.slices, 1);
  LineShare once = share_lines(node.facts(), whole.kept.elements, share.slices);
  once.slices = 1;
  once.slice_length = share.slices;
  dispatch(node, fold, rest, once, true, scratch, to);
}

}  // namespace plumb::gpu_vulkan
