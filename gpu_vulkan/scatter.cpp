#include "gpu_vulkan/scatter.hpp"

#include <bit>
#include <cmath>

#include "gpu_vulkan/divisor.hpp"
#include "gpu_vulkan/ordered.hpp"
#include "gpu_vulkan/sorting.hpp"
#include "gpu_vulkan/strided_copy.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using Reduction = ir::ScatterReduction;

constexpr std::uint32_t threads = 128;

/// The target of each update, a word each. `winners` are cleared where there are some.
Slot find_targets(const ScatterTargets& targets, std::int64_t count, Slot indices, std::optional<Slot> winners,
                  Lowering& node) {
  const Slot found = node.scratch(static_cast<std::size_t>(count) * sizeof(std::uint32_t));
  node.dispatch({
      .shader = {ir::cat("scatter_targets.", targets.variant),
                 {threads, targets.index_words, winners.has_value(), targets.axes, targets.tuple_length}},
      .reads = {indices},
      .writes = {found, winners.value_or(found), node.faults()},
      .push = targets.push,
      .groups = groups_for(count, threads),
  });
  return found;
}

void copy_all(const ir::TensorType& type, Slot from, Slot to, Lowering& node) {
  const ir::CopyAxis all{type.shape.elements(), 1, 1};
  strided_copy({.width = ir::info(type.dtype).bytes, .axes = {all}}, from, to, node);
}

void clear(std::size_t bytes, Slot slot, Lowering& node) {
  const auto words = static_cast<std::int64_t>((bytes + 3) / 4);
  node.dispatch({.shader = {"zero", {threads}},
                 .reads = {},
                 .writes = {slot},
                 .push = word(words),
                 .groups = groups_for(words, threads)});
}

/// As reduce.comp numbers its functions.
std::uint32_t number_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::multiply:
      return 2;
    case Reduction::maximum:
      return 3;
    case Reduction::minimum:
      return 4;
    default:
      return 0;
  }
}

/// Bytes of what the shader calls HELD.
std::size_t held_bytes(DType dtype) {
  if (dtype == DType::f64) return 16;
  return ir::is_float(dtype) || dtype == DType::i64 ? 8 : 4;
}

/// Combines the updates, sorted by their targets, with what is there.
void fold(Reduction reduction, std::optional<Slot> x, const ScatteredUpdates& updates, Slot sorted, Lowering& node) {
  const DType dtype = node.out_type(0).dtype;
  const std::int64_t columns = updates.outer * updates.inner;
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(updates.count)));
  const auto chunk = static_cast<std::int64_t>(std::clamp<std::uint64_t>(std::bit_ceil(root), 32, 1024));
  struct Block {
    Divisor by_columns, by_inner;
    std::uint32_t count, chunk, columns, inner, rows;
  };
  const Block block{Divisor(columns), Divisor(updates.inner), word(updates.count), word(chunk),
                    word(columns),    word(updates.inner),    word(updates.rows)};
  const bool in_chunks = updates.count >= 4 * chunk;
  const Slot y = node.out(0);
  const Slot partials =
      in_chunks ? node.scratch(static_cast<std::size_t>(updates.count / chunk * columns) * held_bytes(dtype)) : y;
  const auto dispatch = [&](bool first, std::vector<Slot> reads, std::vector<Slot> writes, std::int64_t items) {
    node.dispatch(
        {.shader = {ir::cat("scatter_fold.", dtype), {threads, number_of(reduction), first, in_chunks, x.has_value()}},
         .reads = std::move(reads),
         .writes = std::move(writes),
         .push = block,
         .groups = groups_for(items, threads)});
  };
  const Slot start = x.value_or(updates.updates);
  if (in_chunks) dispatch(true, {sorted, updates.updates, start}, {partials, y}, updates.count / chunk * columns);
  const std::int64_t items = updates.count * columns;
  if (in_chunks)
    dispatch(false, {sorted, updates.updates, start, partials}, {y}, items);
  else
    dispatch(false, {sorted, updates.updates, start}, {y, y}, items);
}

}  // namespace

ScatterTargets element_targets(const ir::TensorType& x, const ir::TensorType& indices, std::int64_t axis,
                               const Lowering& node) {
  const auto layout = indexed_elements(x.shape, indices.shape, axis, node.node_number());
  return {.variant = "elements", .index_words = index_words(indices.dtype), .axes = layout.axes, .push = layout.block};
}

ScatterTargets tuple_targets(const ir::Shape& x, const ir::TensorType& indices, std::int64_t tuples,
                             const Lowering& node) {
  struct Block {
    IndexTuples tuples;
    std::uint32_t count;
  };
  return {.variant = "tuples",
          .index_words = index_words(indices.dtype),
          .tuple_length = word(indices.shape.back()),
          .push = Block{index_tuples(x, indices.shape, 0, node.node_number()), word(tuples)}};
}

void scatter_last(const ScatteredUpdates& updates, const ScatterTargets& targets, Slot indices, Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType& x = node.in_type(0);
  if (updates.count * updates.inner == 0) return node.alias(0, 0);
  copy_all(x, node.in(0), node.out(0), node);
  const std::size_t slice_bytes = static_cast<std::size_t>(updates.inner) * ir::info(x.dtype).bytes;
  const std::size_t width = word_width(slice_bytes);
  const auto inner = static_cast<std::int64_t>(slice_bytes / width);
  const Slot winners = node.scratch(static_cast<std::size_t>(updates.rows) * sizeof(std::uint32_t));
  const Slot found = find_targets(targets, updates.count, indices, winners, node);
  node.dispatch({.shader = {"scatter_winners", {threads}},
                 .reads = {found},
                 .writes = {winners},
                 .push = word(updates.count),
                 .groups = groups_for(updates.count, threads)});
  struct Block {
    Divisor by_inner;
    std::uint32_t words, inner;
  };
  node.dispatch({.shader = {word_variant("scatter_write", width, node), {threads}},
                 .reads = {found, winners, updates.updates},
                 .writes = {node.out(0)},
                 .push = Block{Divisor(inner), word(updates.count * inner), word(inner)},
                 .groups = groups_for(updates.count * inner, threads)});
}

void scatter_reduced(Reduction reduction, std::optional<Slot> x, const ScatteredUpdates& updates,
                     const ScatterTargets& targets, Slot indices, Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType& y = node.out_type(0);
  node.needs(node.facts().holds(y.dtype), node.facts().name, " has no ", y.dtype, " in shaders");
  const bool nothing = updates.count * updates.inner * updates.outer == 0;
  if (nothing && x) return node.alias(0, 0);
  if (x)
    copy_all(y, *x, node.out(0), node);
  else
    clear(y.bytes(), node.out(0), node);
  if (nothing) return;
  const Slot found = find_targets(targets, updates.count, indices, std::nullopt, node);
  const Slot sorted = sorted_entries({.x = found,
                                      .width = sizeof(std::uint32_t),
                                      .encoding = encoding_of(DType::u32),
                                      .lines = {1, updates.count, 1},
                                      .k = updates.count},
                                     node);
  fold(reduction, x, updates, sorted, node);
}

}  // namespace plumb::gpu_vulkan
