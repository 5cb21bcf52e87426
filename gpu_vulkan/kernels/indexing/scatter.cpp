// Scatters in a fixed order: targets are found and sorted, and updates folded per target, or the last of each wins.
#include "gpu_vulkan/kernels/indexing/scatter.hpp"

#include <bit>
#include <cmath>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/sort/sorting.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {
namespace {

using ir::DType;
using Reduction = ir::kernels::ScatterReduction;

constexpr std::uint32_t threads = 128;

/// The target of each update, a word each. `winners` are cleared where there are some.
plan::Slot find_targets(const ScatterTargets& targets, std::int64_t count, plan::Slot indices,
                        std::optional<plan::Slot> winners, plan::Lowering& node) {
  const plan::Slot found = node.scratch(static_cast<std::size_t>(count) * sizeof(std::uint32_t));
  node.dispatch({
      .shader = {ir::cat("scatter_targets.", targets.variant),
                 {{"invocations", threads},
                  {"index_words", targets.index_words},
                  {"clears", winners.has_value()},
                  {"axes", targets.axes},
                  {"tuple_length", targets.tuple_length}}},
      .reads = {indices},
      .writes = {found, winners.value_or(found), node.faults()},
      .push = targets.push,
      .groups = plan::groups_for(count, threads),
  });
  return found;
}

void clear(std::size_t bytes, plan::Slot slot, plan::Lowering& node) {
  const auto words = static_cast<std::int64_t>((bytes + 3) / 4);
  node.dispatch({.shader = {"zero", {{"invocations", threads}}},
                 .reads = {},
                 .writes = {slot},
                 .push = plan::word(words),
                 .groups = plan::groups_for(words, threads)});
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

/// The contents of output 0 before updates are combined with it.
enum class Beginning { zeros, copied_operand, operand };

Beginning begin(ScatterOnto onto, plan::Lowering& node) {
  if (onto == ScatterOnto::operand)
    return copy::begin_as_operand(node) ? Beginning::operand : Beginning::copied_operand;
  clear(node.out_type(0).bytes(), node.out(0), node);
  return Beginning::zeros;
}

/// Combines the updates, sorted by their targets, with what is there.
void fold(Reduction reduction, Beginning beginning, const ScatteredUpdates& updates, plan::Slot sorted,
          plan::Lowering& node) {
  const DType dtype = node.out_type(0).dtype;
  const std::int64_t columns = updates.outer * updates.inner;
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(updates.count)));
  const auto chunk = static_cast<std::int64_t>(std::clamp<std::uint64_t>(std::bit_ceil(root), 32, 1024));
  struct Block {
    common::Divisor by_columns, by_inner;
    std::uint32_t count, chunk, columns, inner, rows;
  };
  const Block block{
      common::Divisor(columns), common::Divisor(updates.inner), plan::word(updates.count), plan::word(chunk),
      plan::word(columns),      plan::word(updates.inner),      plan::word(updates.rows)};
  const bool in_chunks = updates.count >= 4 * chunk;
  if (reduction == Reduction::add) {
    const ir::SumLevel in_order = common::compensated(common::chain());
    const ir::SumLevel in_chunk = common::compensated(common::chain(in_chunks ? chunk : 1));
    common::publish({.of = ir::SumName::updates, .levels = common::without_single({in_chunk, in_order})}, dtype, node);
  }
  const plan::Slot y = node.out(0);
  const plan::Slot partials =
      in_chunks ? node.scratch(static_cast<std::size_t>(updates.count / chunk * columns) * held_bytes(dtype)) : y;
  const auto dispatch = [&](bool first, std::vector<plan::Slot> reads, std::vector<plan::Slot> writes,
                            std::int64_t items) {
    node.dispatch({.shader = {ir::cat("scatter_fold.", dtype),
                              {{"invocations", threads},
                               {"function", number_of(reduction)},
                               {"to_partials", first},
                               {"of_partials", in_chunks},
                               {"has_x", beginning != Beginning::zeros},
                               {"is_in_place", beginning == Beginning::operand}}},
                   .reads = std::move(reads),
                   .writes = std::move(writes),
                   .push = block,
                   .groups = plan::groups_for(items, threads)});
  };
  const plan::Slot faults = beginning == Beginning::operand ? node.faults() : sorted;  // any where none is read
  if (in_chunks) dispatch(true, {sorted, updates.updates, faults}, {partials, y}, updates.count / chunk * columns);
  const std::int64_t items = updates.count * columns;
  if (in_chunks)
    dispatch(false, {sorted, updates.updates, faults, partials}, {y}, items);
  else
    dispatch(false, {sorted, updates.updates, faults}, {y, y}, items);
}

}  // namespace

ScatterTargets element_targets(const ir::TensorType& x, const ir::TensorType& indices, std::int64_t axis,
                               const plan::Lowering& node) {
  const auto layout = indexed_elements(x.shape, indices.shape, axis, node.node_number());
  return {.variant = "elements", .index_words = index_words(indices.dtype), .axes = layout.axes, .push = layout.block};
}

ScatterTargets tuple_targets(const ir::Shape& x, const ir::TensorType& indices, std::int64_t tuples,
                             const plan::Lowering& node) {
  struct Block {
    IndexTuples tuples;
    std::uint32_t count;
  };
  return {.variant = "tuples",
          .index_words = index_words(indices.dtype),
          .tuple_length = plan::word(indices.shape.back()),
          .push = Block{index_tuples(x, indices.shape, 0, node.node_number()), plan::word(tuples)}};
}

void scatter_last(const ScatteredUpdates& updates, const ScatterTargets& targets, plan::Slot indices,
                  plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType& x = node.in_type(0);
  if (updates.count * updates.inner == 0) return node.alias(0, 0);
  const bool is_in_place = copy::begin_as_operand(node);
  const std::size_t slice_bytes = static_cast<std::size_t>(updates.inner) * ir::info(x.dtype).bytes;
  const std::size_t width = copy::word_width(slice_bytes);
  const auto inner = static_cast<std::int64_t>(slice_bytes / width);
  const plan::Slot winners = node.scratch(static_cast<std::size_t>(updates.rows) * sizeof(std::uint32_t));
  const plan::Slot found = find_targets(targets, updates.count, indices, winners, node);
  const plan::Slot faults = is_in_place ? node.faults() : found;  // any buffer where none is read
  node.dispatch({.shader = {"scatter_winners", {{"invocations", threads}, {"is_in_place", is_in_place}}},
                 .reads = {found, faults},
                 .writes = {winners},
                 .push = plan::word(updates.count),
                 .groups = plan::groups_for(updates.count, threads)});
  struct Block {
    common::Divisor by_inner;
    std::uint32_t words, inner;
  };
  node.dispatch({.shader = {copy::word_variant("scatter_write", width, node), {{"invocations", threads}}},
                 .reads = {found, winners, updates.updates},
                 .writes = {node.out(0)},
                 .push = Block{common::Divisor(inner), plan::word(updates.count * inner), plan::word(inner)},
                 .groups = plan::groups_for(updates.count * inner, threads)});
}

void scatter_reduced(Reduction reduction, ScatterOnto onto, const ScatteredUpdates& updates,
                     const ScatterTargets& targets, plan::Slot indices, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType& y = node.out_type(0);
  node.needs(node.facts().holds(y.dtype), node.facts().name, " has no ", y.dtype, " in shaders");
  const bool nothing = updates.count * updates.inner * updates.outer == 0;
  if (nothing && onto == ScatterOnto::operand) return node.alias(0, 0);
  const Beginning beginning = begin(onto, node);
  if (nothing) return;
  const plan::Slot found = find_targets(targets, updates.count, indices, std::nullopt, node);
  const plan::Slot sorted = sort::sorted_entries({.x = found,
                                                  .width = sizeof(std::uint32_t),
                                                  .encoding = common::encoding_of(DType::u32),
                                                  .lines = {1, updates.count, 1},
                                                  .k = updates.count},
                                                 node);
  fold(reduction, beginning, updates, sorted, node);
}

}  // namespace plumb::gpu_vulkan::kernels::indexing
