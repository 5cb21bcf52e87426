// Finds where the values of a plan are read for the last time, by the graph.
#include "gpu_vulkan/plan/last_reads.hpp"

#include <map>

namespace plumb::gpu_vulkan::plan {
namespace {

/// The last dispatch of each node that names a slot: what follows it in the same node may lie over that slot.
std::map<std::pair<std::size_t, Slot>, std::size_t> last_uses(const Schedule& schedule) {
  std::map<std::pair<std::size_t, Slot>, std::size_t> last;
  for (std::size_t d = 0; d < schedule.dispatches.size(); ++d) {
    const Dispatch& dispatch = schedule.dispatches[d];
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      for (const Slot slot : *list) last[{dispatch.node, slot}] = d;
  }
  return last;
}

/// Whether the host reads a slot after this dispatch.
bool is_downloaded_after(const Plan& plan, Slot slot, std::size_t dispatch) {
  const auto is_of_slot = [&](ir::Value v) { return plan.slot(v) == slot; };
  for (const Segment& segment : plan.segments)
    if (segment.end > dispatch && std::ranges::any_of(segment.downloads, is_of_slot)) return true;
  return false;
}

}  // namespace

std::vector<std::vector<Slot>> last_reads(const Plan& plan, const ir::Graph& graph) {
  const Schedule& schedule = plan.schedule;
  const auto last_of_node = last_uses(schedule);
  std::vector<Lifetime> alive(schedule.slots.size());
  std::vector<bool> has_value(schedule.slots.size());
  const auto use = [&](ir::Value v, std::size_t n) {
    const Slot slot = plan.slot(v);
    if (slot == Plan::no_slot) return;
    has_value[slot] = true;
    if (const auto last = last_of_node.find({n, slot}); last != last_of_node.end()) alive[slot].use(last->second);
  };
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (const auto* values : {&graph.nodes()[n].inputs, &graph.nodes()[n].outputs})
      for (const ir::Value v : *values) use(v, n);
  const std::vector<Lifetime> by_dispatches = lifetimes(schedule);

  std::vector<std::vector<Slot>> ended(schedule.dispatches.size());
  for (Slot s = 0; s < schedule.slots.size(); ++s) {
    const Lifetime& lives = has_value[s] ? alive[s] : by_dispatches[s];
    const bool stays = schedule.slots[s].residence == Residence::resident || s == plan.faults || !plan.placed(s);
    if (lives.used && !stays && !is_downloaded_after(plan, s, lives.last)) ended[lives.last].push_back(s);
  }
  return ended;
}

}  // namespace plumb::gpu_vulkan::plan
