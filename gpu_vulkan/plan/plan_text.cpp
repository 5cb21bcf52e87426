#include <numeric>

#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::gpu_vulkan::plan {
namespace {

/// "x", or "x = y" where values share a slot; "#7" for what is no value.
std::vector<std::string> slot_names(const Plan& plan, const ir::Graph& graph) {
  std::vector<std::string> names(plan.schedule.slots.size());
  for (ir::Value v = 0; v < plan.slots.size(); ++v) {
    if (plan.slots[v] == Plan::no_slot) continue;
    auto& name = names[plan.slots[v]];
    name += (name.empty() ? "" : " = ") + graph.name(v);
  }
  names[plan.faults] = "(faults)";
  for (Slot s = 0; s < names.size(); ++s)
    if (names[s].empty()) names[s] = ir::cat('#', s);
  return names;
}

template <class List, class Name>
std::string listed(const List& list, Name name) {
  std::string text;
  for (const auto& one : list) text += (text.empty() ? "" : ", ") + name(one);
  return text;
}

void write_memory(std::ostream& out, const Plan& plan, const std::vector<std::string>& names) {
  for (std::size_t b = 0; b < plan.arena.buffers.size(); ++b)
    out << "buffer " << b << ": " << plan.arena.buffers[b] << " bytes"
        << (b < plan.arena.resident_buffers ? ", resident" : "") << '\n';
  for (Slot s = 0; s < names.size(); ++s)
    if (plan.placed(s))
      out << "  " << names[s] << ": buffer " << plan.arena.places[s].buffer << " at " << plan.arena.places[s].offset
          << ", " << plan.schedule.slots[s].bytes << " bytes\n";
}

void write_dispatch(std::ostream& out, const Plan& plan, std::size_t d, const std::vector<std::string>& names) {
  const Dispatch& dispatch = plan.schedule.dispatches[d];
  const auto name = [&](Slot s) { return names[s]; };
  const auto number = [](std::uint32_t n) { return std::to_string(n); };
  out << "    " << d << (plan.barrier_before[d] ? " | " : "   ") << dispatch.shader.name << '('
      << listed(dispatch.shader.constants.values(), number) << ')';
  if (dispatch.shader.subgroup_size != 0) out << " subgroup " << dispatch.shader.subgroup_size;
  out << " x " << listed(dispatch.groups, number) << ": " << listed(dispatch.reads, name) << " -> "
      << listed(dispatch.writes, name) << '\n';
}

/// `steps` is what the node's kernel computes where it was generated.
void write_node(std::ostream& out, const ir::Node& node, const ir::NodeReport& report, const std::string& steps) {
  out << "  " << node.label << " (" << node.op.name() << "): " << ir::enum_name(report.placement);
  if (!report.kernel.empty()) out << ", " << report.kernel;
  if (!steps.empty()) out << " of " << steps;
  std::string reason = report.reason;
  for (std::size_t at = 0; (at = reason.find('\n', at)) != std::string::npos;) reason.replace(at, 1, "; ");
  if (!reason.empty()) out << " [" << reason << ']';
  out << '\n';
  for (const ir::Sum& sum : report.sums) out << "    adds " << ir::to_text(sum) << '\n';
}

}  // namespace

std::string name_of(const Plan& plan, const ir::Graph& graph, std::size_t dispatch) {
  const Dispatch& one = plan.schedule.dispatches.at(dispatch);
  std::string text = ir::cat("dispatch ", dispatch, " (", one.shader.name, ") of ");
  if (one.node >= graph.nodes().size()) return text + "no node";
  const ir::Node& node = graph.nodes()[one.node];
  return text + ir::cat("node '", node.label, "' (", node.op.name(), ')');
}

std::string to_text(const Plan& plan, const ir::Graph& graph) {
  std::ostringstream out;
  const auto names = slot_names(plan, graph);
  write_memory(out, plan, names);
  const auto value = [&](ir::Value v) { return graph.name(v); };
  const auto label = [&](std::size_t n) { return graph.nodes()[n].label; };
  for (std::size_t s = 0; s < plan.segments.size(); ++s) {
    const Segment& segment = plan.segments[s];
    out << "submit " << s << ": " << segment.end - segment.begin << " dispatches\n";
    if (!segment.uploads.empty()) out << "  up: " << listed(segment.uploads, value) << '\n';
    if (!segment.downloads.empty()) out << "  down: " << listed(segment.downloads, value) << '\n';
    if (!segment.host_nodes.empty()) out << "  then on the host: " << listed(segment.host_nodes, label) << '\n';
  }
  out << "nodes, their dispatches (| waits for those before):\n";
  const std::vector<Dispatch>& dispatches = plan.schedule.dispatches;
  std::size_t d = 0;
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    const auto is_of_node = [&] { return d < dispatches.size() && dispatches[d].node == n; };
    write_node(out, graph.nodes()[n], plan.nodes[n], is_of_node() ? dispatches[d].steps : "");
    for (; is_of_node(); ++d) write_dispatch(out, plan, d, names);
  }
  return std::move(out).str();
}

}  // namespace plumb::gpu_vulkan::plan
