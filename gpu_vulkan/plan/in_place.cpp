// Finds whether anybody reads a slot behind a node that would write its result there.
#include "gpu_vulkan/plan/in_place.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::plan {

InPlace::InPlace(const ir::Graph& graph, const std::vector<bool>& needed, const std::vector<ir::Value>& captured)
    : graph_(graph), last_reads_(graph.value_count()), captured_(graph.value_count()) {
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    if (needed[n])
      for (const ir::Value v : graph.nodes()[n].inputs) last_reads_[v] = n;
  for (const ir::Value v : captured) captured_[v] = true;
}

void InPlace::lies_in(ir::Value value, Slot slot) {
  if (readers_.size() <= slot) {
    readers_.resize(slot + 1);
    results_.resize(slot + 1);
  }
  auto& reader = readers_[slot];
  if (const auto last = last_reads_[value]; last && (!reader || reader->node <= *last)) reader = Reader{*last, value};
  if (captured_[value]) results_[slot] = value;
}

std::string InPlace::refusal(const ir::Node& node, std::size_t input, const std::vector<Slot>& slots,
                             const Schedule& schedule) const {
  const ir::Value operand = node.inputs.at(input);
  const Slot slot = slots.at(operand);
  const auto name = [&](ir::Value v) { return ir::cat('\'', graph_.name(v), '\''); };
  if (schedule.slots.at(slot).residence == Residence::resident) return name(operand) + " is uploaded once for all runs";
  if (schedule.slots.at(slot).bytes != graph_.type(node.outputs.at(0)).bytes())
    return name(operand) + " has another size";
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (i != input && slots.at(node.inputs[i]) == slot)
      return name(operand) + " is operand " + std::to_string(i) + " too";
  if (const auto result = results_.at(slot)) return name(*result) + " is wanted";
  const auto& reader = readers_.at(slot);
  const auto here = static_cast<std::size_t>(&node - graph_.nodes().data());
  if (reader && reader->node > here)
    return ir::cat("node '", graph_.nodes()[reader->node].label, "' reads ", name(reader->value), " later");
  return "";
}

}  // namespace plumb::gpu_vulkan::plan
