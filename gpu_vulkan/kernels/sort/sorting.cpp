// Sorts lines by blocks in shared memory and merges of doubling runs; top-k selects within runs and sorts only those.
#include "gpu_vulkan/kernels/sort/sorting.hpp"

#include <bit>

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/sort/selection.hpp"

namespace plumb::gpu_vulkan::kernels::sort {
namespace {

std::int64_t power(std::int64_t n) { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))); }

struct SortBlock {
  std::uint32_t lines, inner, line_length, count, kept, span, runs;
};

/// The dispatches of one sort: of all elements of the lines, or of entries by index.
class Sort {
 public:
  Sort(const SortedLines& sorted, const std::optional<SortResults>& results, plan::Lowering& node)
      : sorted_(sorted), results_(results), node_(node) {}

  /// Sorts the entries at `from`, `count` for every line, or the elements of x where there are none.
  plan::Slot run(std::optional<plan::Slot> from, std::int64_t count) {
    // 8 or 12 bytes of shared memory an entry; a merge for every doubling beyond them.
    const std::int64_t most = node_.facts().shared_memory >= (32u << 10) ? 2048 : 1024;
    const std::int64_t slots = std::clamp<std::int64_t>(power(count), 2, most);
    begin(count, slots);
    return merged(sort_blocks(from, slots, most));
  }

  /// Takes the most wanted elements of x by selection within runs, most of whose elements are never sorted.
  plan::Slot select(const SelectionChoice& choice) {
    begin(sorted_.lines.length, choice.span);
    const bool last = block_.runs == 1 && results_;
    const plan::Slot entries = last ? results_->values : scratch(block_.runs, block_.span);
    dispatch(choice.held.shader(copy::word_variant("sort_select", sorted_.width, node_),
                                {{"to_results", last},
                                 {"index_words", words()},
                                 {"slots", plan::word(choice.slots)},
                                 {"encoding", sorted_.encoding},
                                 {"descending", sorted_.descending}}),
             sorted_.x, entries, last, choice.held.groups(sorted_.lines.count() * block_.runs));
    return merged(entries);
  }

 private:
  /// Runs of `span` of the `count` entries of every line.
  void begin(std::int64_t count, std::int64_t span) {
    block_ = {plan::word(sorted_.lines.count()),
              plan::word(sorted_.lines.inner),
              plan::word(sorted_.lines.length),
              plan::word(count),
              plan::word(sorted_.k),
              plan::word(span),
              plan::word((count + span - 1) / span)};
  }

  plan::Slot merged(plan::Slot entries) {
    while (block_.runs > 1) entries = merge(entries);
    return entries;
  }

  plan::Slot sort_blocks(std::optional<plan::Slot> from, std::int64_t slots, std::int64_t most) {
    const std::int64_t runs = sorted_.lines.count() * block_.runs, runs_here = std::min(most / slots, power(runs));
    const auto threads = std::min<std::int64_t>({256, node_.facts().max_invocations, slots * runs_here / 2});
    const bool last = block_.runs == 1 && results_;
    const plan::Slot entries = last ? results_->values : scratch(block_.runs, block_.span);
    dispatch({copy::word_variant("sort_block", sorted_.width, node_),
              {{"invocations", plan::word(threads)},
               {"to_results", last},
               {"index_words", words()},
               {"slots", plan::word(slots)},
               {"runs_here", plan::word(runs_here)},
               {"encoding", sorted_.encoding},
               {"descending", sorted_.descending},
               {"by_index", from.has_value()}}},
             from.value_or(sorted_.x), entries, last, plan::groups_for(runs, runs_here));
    return entries;
  }

  plan::Slot merge(plan::Slot from) {
    constexpr std::uint32_t threads = 128, each = 8;
    const std::uint32_t runs = (block_.runs + 1) / 2;
    const std::int64_t stride = std::min<std::int64_t>(2 * std::int64_t{block_.span}, block_.kept);
    const std::int64_t parts = (stride + each - 1) / each;
    const bool last = runs == 1 && results_;
    const plan::Slot entries = last ? results_->values : scratch(runs, 2 * block_.span);
    dispatch({copy::word_variant("sort_merge", sorted_.width, node_),
              {{"invocations", threads}, {"to_results", last}, {"index_words", words()}, {"each", each}}},
             from, entries, last, plan::groups_for(sorted_.lines.count() * runs * parts, threads));
    block_.runs = runs;
    block_.span *= 2;
    return entries;
  }

  plan::Slot scratch(std::int64_t runs, std::int64_t span) {
    const std::int64_t entries = sorted_.lines.count() * runs * std::min<std::int64_t>(span, block_.kept);
    return node_.scratch(static_cast<std::size_t>(entries) * (sorted_.width < 8 ? 8 : 16));
  }

  std::uint32_t words() const { return results_ ? results_->words : 1; }

  void dispatch(plan::Shader shader, plan::Slot from, plan::Slot to, bool last, plan::Groups groups) {
    node_.dispatch({
        .shader = std::move(shader),
        .reads = {sorted_.x, from},
        .writes = last ? std::vector{to, results_->values, results_->indices} : std::vector{to, to, to},
        .push = block_,
        .groups = groups,
    });
  }

  const SortedLines& sorted_;
  const std::optional<SortResults> results_;
  plan::Lowering& node_;
  SortBlock block_{};
};

}  // namespace

void sort_lines(const SortedLines& sorted, const SortResults& results, bool by_index, plan::Lowering& node) {
  if (by_index)
    Sort(sorted, results, node).run(sorted_entries(sorted, node), sorted.k);
  else
    Sort(sorted, results, node).run(std::nullopt, sorted.lines.length);
}

plan::Attempt attempt_selection(const SortedLines& sorted, const SortResults& results, bool by_index,
                                plan::Lowering& node) {
  const SelectionChoice choice = choose_selection(node.facts(), sorted);
  return plan::attempt_of(choice.refusal, [&, choice, by_index] {
    if (!by_index) {
      Sort(sorted, results, node).select(choice);
      return;
    }
    const plan::Slot entries = Sort(sorted, std::nullopt, node).select(choice);
    Sort(sorted, results, node).run(entries, sorted.k);
  });
}

plan::Slot sorted_entries(const SortedLines& sorted, plan::Lowering& node) {
  return Sort(sorted, std::nullopt, node).run(std::nullopt, sorted.lines.length);
}

}  // namespace plumb::gpu_vulkan::kernels::sort
