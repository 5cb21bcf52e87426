// When the first k of a line are found by selection within runs held in registers, and how lines are cut into runs.
#include "gpu_vulkan/kernels/sort/selection.hpp"

namespace plumb::gpu_vulkan::kernels::sort {
namespace {

constexpr std::int64_t most_wanted = 1024, least_slots = 32, most_each = 32;  // the last as the shader has bits for

/// Elements of a run: all of a line, or where lines are long or too few to fill a device, a part of it.
std::int64_t span_of(const SortedLines& sorted, std::int64_t most, std::int64_t pack) {
  constexpr std::int64_t enough_groups = 256, least_span = 4096;
  const std::int64_t length = sorted.lines.length, lines = sorted.lines.count();
  const std::int64_t least = std::max(least_span, 4 * rows::power_above(sorted.k));
  const std::int64_t runs = std::max(std::min((enough_groups + lines - 1) / lines, length / least), std::int64_t{1});
  const std::int64_t span = std::min((length + runs - 1) / runs, most);
  return std::min((span + pack - 1) / pack * pack, most);
}

/// Short runs are a subgroup's, which agrees without barriers.
std::int64_t lanes_of(std::int64_t span, std::int64_t subgroup, std::int64_t most) {
  return std::clamp(rows::power_above((span + most_each - 1) / most_each), subgroup, most);
}

std::optional<std::string> refuse(const device::DeviceFacts& facts, const SortedLines& sorted) {
  if (sorted.width > 4) return ir::cat("elements have ", sorted.width, " bytes");
  if (sorted.lines.inner > 1) return "neighbours are of different lines";
  if (sorted.k > most_wanted) return ir::cat("more than ", most_wanted, " are wanted");
  if (4 * sorted.k > sorted.lines.length) return "more than a quarter are wanted";
  if (!facts.subgroup_arithmetic || !facts.subgroup_size_control)
    return ir::cat(facts.name, " has no arithmetic in subgroups of a known size");
  return std::nullopt;
}

}  // namespace

SelectionChoice choose_selection(const device::DeviceFacts& facts, const SortedLines& sorted) {
  if (auto refusal = refuse(facts, sorted)) return {{}, 0, 0, std::move(refusal)};
  const std::int64_t pack = 16 / static_cast<std::int64_t>(sorted.width), subgroup = facts.subgroup_size;
  const std::int64_t most_lanes = common::most_invocations(facts), most = most_lanes * most_each;
  SelectionChoice choice;
  choice.span = span_of(sorted, most, pack);
  choice.slots = std::max(2 * rows::power_above(sorted.k), least_slots);
  const bool is_packed = sorted.lines.length % pack == 0;
  const std::int64_t unit = is_packed ? pack : 1, lanes = lanes_of(choice.span, subgroup, most_lanes);
  const std::int64_t units = (choice.span + lanes * unit - 1) / (lanes * unit);
  choice.held = rows::rows_of(facts, choice.span / unit, lanes, units);
  choice.held.threads = static_cast<std::uint32_t>(
      lanes > subgroup ? lanes : std::max(std::min<std::int64_t>(128, most_lanes), subgroup));
  choice.held.is_packed = is_packed;
  choice.held.is_full = sorted.lines.length % choice.span == 0 && choice.span == lanes * units * unit;
  const std::int64_t runs_here = choice.held.threads / lanes, subgroups = choice.held.threads / subgroup;
  if (8 * choice.slots * runs_here + 4 * runs_here + 8 * subgroups > facts.shared_memory)
    choice.refusal = ir::cat(facts.name, " has too little shared memory to sort ", choice.slots, " entries");
  return choice;
}

}  // namespace plumb::gpu_vulkan::kernels::sort
