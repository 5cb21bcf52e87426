// Makes the plan of a graph: lowers each node, leaves refused ones to the host, and lays out segments and memory.
#include "gpu_vulkan/plan/plan.hpp"

#include <algorithm>
#include <map>

#include "gpu_vulkan/plan/in_place.hpp"
#include "gpu_vulkan/plan/layout.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::gpu_vulkan::plan {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

class Planner {
 public:
  Planner(const ir::Graph& graph, const ir::Capture& capture, const device::DeviceFacts& facts,
          const PlanOptions& options);
  Plan make();

 private:
  /// A slot that the host fills before a segment that needs it.
  struct Origin {
    ir::Value value;
    std::size_t segment;  ///< whose host nodes compute it; of an input, none
    bool uploaded = false;
  };
  static constexpr std::size_t before_all = ~std::size_t{0};

  void find_needed(bool all);
  void place_sources();
  void plan_node(std::size_t n);
  /// Why the device cannot run a node; nothing when its dispatches have been added.
  std::optional<std::string> lower_node(std::size_t n, ir::NodeReport& report);
  void check_sizes(const ir::Node& node) const;
  void check_dispatches(std::size_t first) const;
  void leave_to_host(std::size_t n, const std::string& why, ir::NodeReport& report);
  void download(ir::Value value);
  void need(Slot slot, std::size_t dispatch);
  void next_segment(std::size_t dispatch);

  bool is_empty(ir::Value value) const { return graph_.type(value).bytes() == 0; }
  bool is_captured(ir::Value value) const { return std::ranges::binary_search(plan_.captured, value); }
  std::size_t largest_slot() const;

  const ir::Graph& graph_;
  const device::DeviceFacts& facts_;
  const PlanOptions& options_;
  Plan plan_;
  std::vector<bool> needed_;         ///< by node
  std::optional<InPlace> in_place_;  ///< nothing where all operands stay as they are
  std::vector<bool> on_host_;        ///< by value: the host has it, or will when it is needed
  std::map<Slot, Origin> origins_;
  std::vector<std::string> refusals_;
};

Planner::Planner(const ir::Graph& graph, const ir::Capture& capture, const device::DeviceFacts& facts,
                 const PlanOptions& options)
    : graph_(graph), facts_(facts), options_(options), on_host_(graph.value_count()) {
  auto& captured = plan_.captured;
  captured = capture.wanted;
  if (capture.surviving)
    for (const ir::Node& node : graph.nodes())
      for (const ir::Value v : node.outputs)
        if (capture.is_of_interest(v)) captured.push_back(v);
  std::ranges::sort(captured);
  captured.erase(std::unique(captured.begin(), captured.end()), captured.end());
  for (const ir::Value v : captured) graph.type(v);  // throws when it is none
  find_needed(capture.surviving && !capture.of_interest);
  if (options.in_place && !options.redzone && !options.no_reuse) in_place_.emplace(graph_, needed_, captured);
}

void Planner::find_needed(bool all) {
  std::vector<bool> used(graph_.value_count());
  for (const ir::Value v : plan_.captured) used[v] = true;
  needed_.resize(graph_.nodes().size());
  for (std::size_t n = graph_.nodes().size(); n-- > 0;) {
    const ir::Node& node = graph_.nodes()[n];
    needed_[n] = all || std::ranges::any_of(node.outputs, [&](ir::Value v) { return used[v]; });
    if (needed_[n])
      for (const ir::Value v : node.inputs) used[v] = true;
  }
}

Plan Planner::make() {
  plan_.slots.assign(graph_.value_count(), Plan::no_slot);
  plan_.nodes.resize(graph_.nodes().size());
  plan_.segments.emplace_back();
  place_sources();
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) plan_node(n);
  if (!refusals_.empty()) throw ir::Unsupported(joined(refusals_));
  plan_.segments.back().end = plan_.schedule.dispatches.size();
  lay_out(plan_, facts_,
          {.redzone = options_.redzone, .no_reuse = options_.no_reuse, .full_barriers = options_.full_barriers});
  return std::move(plan_);
}

void Planner::place_sources() {
  plan_.faults = plan_.schedule.slot(sizeof(Fault));
  for (ir::Value v = 0; graph_.is_source(v); ++v) {
    const bool is_input = v < graph_.inputs().size();
    plan_.slots[v] = plan_.schedule.slot(graph_.type(v).bytes(), is_input ? Residence::transient : Residence::resident);
    if (is_input) origins_.emplace(plan_.slots[v], Origin{v, before_all});
    on_host_[v] = true;
    if (in_place_) in_place_->lies_in(v, plan_.slots[v]);
  }
}

void Planner::plan_node(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  ir::NodeReport& report = plan_.nodes[n];
  report.placement = ir::Placement::elided;
  if (!needed_[n]) {
    report.reason = "no wanted value depends on it";
    return;
  }
  const bool is_constant = node.op.is<ir::ops::Constant>();
  for (const ir::Value v : node.outputs)
    plan_.slots[v] =
        plan_.schedule.slot(graph_.type(v).bytes(), is_constant ? Residence::resident : Residence::transient);
  if (is_constant) {
    report.reason = "uploaded once";
    on_host_[node.outputs[0]] = true;
  } else if (std::ranges::all_of(node.outputs, [&](ir::Value v) { return is_empty(v); })) {
    report.reason = "its results are empty";
  } else if (const auto refusal = lower_node(n, report)) {
    leave_to_host(n, *refusal, report);
  }
  for (const ir::Value v : node.outputs) {
    if (is_captured(v)) download(v);
    if (in_place_) in_place_->lies_in(v, plan_.slots[v]);
  }
}

std::optional<std::string> Planner::lower_node(std::size_t n, ir::NodeReport& report) {
  const ir::Node& node = graph_.nodes()[n];
  Schedule& schedule = plan_.schedule;
  const std::size_t first = schedule.dispatches.size(), slots_before = schedule.slots.size();
  std::vector<Slot> outputs_before;  // an alias changes them
  for (const ir::Value v : node.outputs) outputs_before.push_back(plan_.slots[v]);
  try {
    check_sizes(node);
    Lowering lowering(graph_, node, facts_, options_, plan_.slots, plan_.faults, schedule,
                      in_place_ ? &*in_place_ : nullptr);
    lower_op(node.op, lowering);
    check_dispatches(first);
    report.kernel = lowering.choice().name;
    report.reason = joined(lowering.choice().reasons());
    report.tile = lowering.choice().tile;
    report.sums = lowering.choice().sums;
  } catch (const ir::Unsupported& refusal) {
    schedule.dispatches.resize(first);
    schedule.slots.resize(slots_before);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) plan_.slots[node.outputs[k]] = outputs_before[k];
    return refusal.what();
  } catch (const ir::Error& error) {
    ir::fail("gpu_vulkan: node '", node.label, "' (", node.op.name(), "): ", error.what());
  }
  const bool launches = schedule.dispatches.size() > first;
  if (launches && !plan_.segments.back().host_nodes.empty()) next_segment(first);
  for (std::size_t d = first; d < schedule.dispatches.size(); ++d)
    for (const auto* list : {&schedule.dispatches[d].reads, &schedule.dispatches[d].writes})  // which may be in place
      for (const Slot slot : *list) need(slot, first);
  report.placement = launches ? ir::Placement::gpu : ir::Placement::elided;
  return std::nullopt;
}

std::size_t Planner::largest_slot() const {
  // The zone behind a slot is bound with it.
  const std::size_t zone = options_.redzone ? std::max<std::size_t>(zone_bytes, facts_.offset_alignment) : 0;
  const auto without = [](std::uint64_t limit, std::size_t bytes) { return limit > bytes ? limit - bytes : 0; };
  return std::min(without(facts_.max_buffer_range, zone), without(facts_.max_allocation, 2 * zone));
}

void Planner::check_sizes(const ir::Node& node) const {
  for (const auto* values : {&node.inputs, &node.outputs})
    for (const ir::Value v : *values) {
      const auto bytes = graph_.type(v).bytes();
      if (bytes > largest_slot())
        throw ir::Unsupported(ir::cat("'", graph_.name(v), "' ", graph_.type(v), " has ", bytes, " bytes, ",
                                      facts_.name, " binds at most ", largest_slot()));
    }
}

void Planner::check_dispatches(std::size_t first) const {
  const auto needs = [](bool holds, const auto&... parts) {
    if (!holds) throw ir::Unsupported(ir::cat(parts...));
  };
  for (std::size_t d = first; d < plan_.schedule.dispatches.size(); ++d) {
    const Dispatch& dispatch = plan_.schedule.dispatches[d];
    const auto bindings = dispatch.reads.size() + dispatch.writes.size();
    needs(bindings <= facts_.max_push_descriptors, dispatch.shader.name, " binds ", bindings, " tensors, ", facts_.name,
          " takes ", facts_.max_push_descriptors);
    needs(dispatch.shader.subgroup_size == 0 || facts_.subgroup_size_control, dispatch.shader.name,
          " wants subgroups of ", dispatch.shader.subgroup_size, ", ", facts_.name, " lets nobody choose");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto groups = dispatch.groups.at(axis);
      ir::require(groups > 0, dispatch.shader.name, " is dispatched with 0 workgroups");
      needs(groups <= facts_.max_group_count.at(axis), dispatch.shader.name, " wants ", groups,
            " workgroups along axis ", axis, ", ", facts_.name, " has ", facts_.max_group_count.at(axis));
    }
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      for (const Slot slot : *list)
        needs(plan_.schedule.bound_bytes(slot) <= largest_slot(), dispatch.shader.name, " wants a scratch tensor of ",
              plan_.schedule.bound_bytes(slot), " bytes, ", facts_.name, " binds at most ", largest_slot());
  }
}

void Planner::leave_to_host(std::size_t n, const std::string& why, ir::NodeReport& report) {
  const ir::Node& node = graph_.nodes()[n];
  const bool runs = options_.host != nullptr && options_.host->has_kernel(node.op.schema());
  if (!runs) {
    const std::string also = options_.host != nullptr ? ir::cat("; nor has ", options_.host->name(), " a kernel") : "";
    refusals_.push_back(ir::cat("gpu_vulkan: node '", node.label, "' (", node.op.name(), "): ", why, also));
  }
  for (const ir::Value v : node.inputs) download(v);
  plan_.segments.back().host_nodes.push_back(n);
  for (const ir::Value v : node.outputs) {
    origins_.emplace(plan_.slots[v], Origin{v, plan_.segments.size() - 1});
    on_host_[v] = true;
  }
  report.placement = ir::Placement::cpu;
  report.kernel = runs ? options_.host->name() : "";
  report.reason = why;
}

/// The host will have the value after the dispatches of the current segment.
void Planner::download(ir::Value value) {
  if (on_host_[value] || is_empty(value)) return;
  need(plan_.slots[value], plan_.schedule.dispatches.size());
  plan_.segments.back().downloads.push_back(value);
  on_host_[value] = true;
}

/// The device will have the slot's bytes before the dispatches of the current segment,
/// which may have to start with `dispatch` for that.
void Planner::need(Slot slot, std::size_t dispatch) {
  const auto found = origins_.find(slot);
  if (found == origins_.end() || found->second.uploaded) return;
  if (found->second.segment == plan_.segments.size() - 1) next_segment(dispatch);
  plan_.segments.back().uploads.push_back(found->second.value);
  found->second.uploaded = true;
}

void Planner::next_segment(std::size_t dispatch) {
  plan_.segments.back().end = dispatch;
  plan_.segments.emplace_back();
  plan_.segments.back().begin = dispatch;
}

}  // namespace

Plan make_plan(const ir::Graph& graph, const ir::Capture& capture, const device::DeviceFacts& facts,
               const PlanOptions& options) {
  return Planner(graph, capture, facts, options).make();
}

}  // namespace plumb::gpu_vulkan::plan
