// Groups chains of elementwise nodes of one shape into regions, each a kernel that is generated and compiled.
#include <algorithm>
#include <set>

#include "gpu_vulkan/passes/passes.hpp"
#include "gpu_vulkan/passes/pattern.hpp"
#include "gpu_vulkan/region/compile.hpp"
#include "gpu_vulkan/region/source.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;

constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t heaviest = 24;         // weight of a fused elementwise kernel, which has nine copies of its steps
constexpr std::uint32_t most_bindings = 24;  // per kernel
constexpr std::size_t most_kernels = 64;     // that are compiled for one graph: minutes, at worst, for a hostile one

/// Nodes that become one kernel, in the place of the last of them. It is open until a node that is not one of
/// them reads what they compute: one that came later would stand before its operands' reader.
struct Group {
  std::vector<std::size_t> nodes;
  std::size_t weight = 0;
  bool open = true;
};

class Finder {
 public:
  Finder(const ir::Graph& graph, const PassSetting& setting);
  ir::Graph rewritten();

 private:
  bool may_join(const ir::Node& node) const;
  void visit(std::size_t n);
  /// The open groups of the same shape that the node reads.
  std::vector<std::size_t> groups_read(std::size_t n) const;
  bool fits(const Group& group) const;
  std::vector<Value> inputs_of(const Group& group) const;
  /// The group's values that are needed outside it, the last node's first.
  std::vector<Value> results_of(const Group& group) const;
  std::optional<fused_ops::Region> region_of(const Group& group);
  region::CompiledShader compiled_for(const fused_ops::Region& region, const Group& group,
                                      const std::string& source) const;
  const ir::Shape& shape_of(std::size_t n) const { return graph_.type(graph_.nodes()[n].outputs[0]).shape; }
  bool is_kept(Value v) const { return setting_.surviving || wanted_[v]; }

  const ir::Graph& graph_;
  const PassSetting& setting_;
  const region::RegionCompiler compiler_;
  std::vector<std::vector<std::size_t>> users_;  ///< by value
  std::vector<bool> wanted_;                     ///< by value
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  ///< by node
  std::set<std::string> kernels_;
};

Finder::Finder(const ir::Graph& graph, const PassSetting& setting)
    : graph_(graph),
      setting_(setting),
      compiler_(setting.regions.cache_folder),
      users_(graph.value_count()),
      wanted_(graph.value_count()),
      group_of_(graph.nodes().size(), none) {
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (const Value v : graph.nodes()[n].inputs) users_[v].push_back(n);
  for (const auto* values : {&setting.wanted, &graph.results()})
    for (const Value v : *values) wanted_.at(v) = true;
}

bool Finder::may_join(const ir::Node& node) const {
  if (node.outputs.size() != 1) return false;
  const Value y = node.outputs[0];
  const std::int64_t elements = graph_.type(y).shape.elements();
  if (elements == 0 || elements >= std::int64_t{1} << 31) return false;
  if (users_[y].empty() && !is_kept(y)) return false;  // nobody computes it
  std::vector<ir::DType> operands;
  for (const Value v : node.inputs) operands.push_back(graph_.type(v).dtype);
  if (operands.empty() || !region::is_step(node.op, operands, graph_.type(y).dtype)) return false;
  const auto largest = std::min(setting_.facts.max_buffer_range, setting_.facts.max_allocation);
  const auto is_held = [&](Value v) {  // with room for red zones
    return setting_.facts.holds(graph_.type(v).dtype) && graph_.type(v).bytes() + (1u << 16) <= largest;
  };
  return is_held(y) && std::ranges::all_of(node.inputs, is_held);
}

std::vector<std::size_t> Finder::groups_read(std::size_t n) const {
  std::vector<std::size_t> groups;
  for (const Value v : graph_.nodes()[n].inputs) {
    const auto producer = graph_.producer(v);
    const std::size_t g = producer ? group_of_[*producer] : none;
    if (g != none && groups_[g].open && shape_of(*producer) == shape_of(n) && std::ranges::count(groups, g) == 0)
      groups.push_back(g);
  }
  return groups;
}

std::vector<Value> Finder::inputs_of(const Group& group) const {
  std::vector<Value> inputs;
  for (const std::size_t n : group.nodes)
    for (const Value v : graph_.nodes()[n].inputs) {
      const auto producer = graph_.producer(v);
      const bool inside = producer && std::ranges::binary_search(group.nodes, *producer);
      if (!inside && std::ranges::count(inputs, v) == 0) inputs.push_back(v);
    }
  return inputs;
}

std::vector<Value> Finder::results_of(const Group& group) const {
  std::vector<Value> results;
  for (const std::size_t n : group.nodes) {
    const Value y = graph_.nodes()[n].outputs[0];
    const auto is_inside = [&](std::size_t user) { return std::ranges::binary_search(group.nodes, user); };
    if (is_kept(y) || !std::ranges::all_of(users_[y], is_inside)) results.insert(results.begin(), y);
  }
  return results;
}

bool Finder::fits(const Group& group) const {
  if (group.weight > heaviest) return false;
  const auto inputs = inputs_of(group);
  const auto& facts = setting_.facts;
  const std::size_t limit = std::min({most_bindings, facts.max_push_descriptors, facts.max_storage_buffers});
  if (inputs.size() + results_of(group).size() > limit) return false;
  std::vector<ir::Shape> shapes;
  for (const Value v : inputs) shapes.push_back(graph_.type(v).shape);
  const ir::Shape& shape = shape_of(group.nodes.back());
  return fused_ops::region_block(ir::kernels::broadcast_loops(shape, shapes), shape.elements()).has_value();
}

void Finder::visit(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  if (may_join(node)) {
    const Group alone{{n}, region::weight_of(node.op, graph_.type(node.inputs[0]).dtype), true};
    auto read = groups_read(n);
    std::vector<std::vector<std::size_t>> choices = {read};  // all of them, or one
    if (read.size() > 1)
      for (const std::size_t g : read) choices.push_back({g});
    for (const auto& choice : choices) {
      Group joined = alone;
      for (const std::size_t g : choice) {
        joined.nodes.insert(joined.nodes.end(), groups_[g].nodes.begin(), groups_[g].nodes.end());
        joined.weight += groups_[g].weight;
      }
      std::ranges::sort(joined.nodes);
      if (choice.empty() ? joined.weight > heaviest : !fits(joined)) continue;
      for (const std::size_t g : choice) groups_[g] = {};
      for (const std::size_t member : joined.nodes) group_of_[member] = groups_.size();
      groups_.push_back(std::move(joined));
      break;
    }
    if (group_of_[n] == none) {
      group_of_[n] = groups_.size();
      groups_.push_back(alone);
    }
  }
  for (const Value v : node.inputs)
    if (const auto producer = graph_.producer(v); producer && group_of_[*producer] != none)
      if (group_of_[*producer] != group_of_[n]) groups_[group_of_[*producer]].open = false;
}

region::CompiledShader Finder::compiled_for(const fused_ops::Region& region, const Group& group,
                                            const std::string& source) const {
  try {
    return compiler_.compile(source);
  } catch (const ir::Error& error) {
    const ir::Node& last = graph_.nodes()[group.nodes.back()];
    ir::fail("node '", last.label, "' (", last.op.name(), "): the kernel that was generated for ",
             fused_ops::steps_of(region), " does not compile: ", error.what());
  }
}

std::optional<fused_ops::Region> Finder::region_of(const Group& group) {
  const auto inputs = inputs_of(group), results = results_of(group);
  const auto number = [&](Value v) {
    const auto input = std::ranges::find(inputs, v);
    if (input != inputs.end()) return static_cast<std::size_t>(input - inputs.begin());
    const auto step = std::ranges::lower_bound(group.nodes, *graph_.producer(v));
    return inputs.size() + static_cast<std::size_t>(step - group.nodes.begin());
  };
  fused_ops::Region region;
  for (const std::size_t n : group.nodes) {
    const ir::Node& node = graph_.nodes()[n];
    fused_ops::RegionStep step{node.op, {}, graph_.type(node.outputs[0]).dtype};
    for (const Value v : node.inputs) step.operands.push_back(number(v));
    region.steps.push_back(std::move(step));
  }
  for (const Value v : results) region.results.push_back(number(v) - inputs.size());
  std::vector<ir::DType> dtypes;
  for (const Value v : inputs) dtypes.push_back(graph_.type(v).dtype);
  const auto source = region::source_of(region, dtypes);
  if (!kernels_.contains(source) && kernels_.size() == most_kernels) return std::nullopt;
  kernels_.insert(source);
  auto compiled = compiled_for(region, group, source);
  region.kernel = std::move(compiled.name);
  region.words = std::move(compiled.words);
  return region;
}

ir::Graph Finder::rewritten() {
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) visit(n);
  std::vector<bool> is_gone(graph_.nodes().size());
  std::map<std::size_t, fused_ops::Region> regions;  // by their last node
  for (const Group& group : groups_) {
    if (group.nodes.size() < 2) continue;
    auto region = region_of(group);
    if (!region) continue;
    for (const std::size_t n : group.nodes) is_gone[n] = true;
    regions.emplace(group.nodes.back(), std::move(*region));
  }
  ir::Graph next = graph_.sources();
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    const ir::Node& node = graph_.nodes()[n];
    if (const auto region = regions.find(n); region != regions.end()) {
      const Group& group = groups_[group_of_[n]];
      next.place(node.label, std::move(region->second), inputs_of(group), results_of(group));
    } else if (!is_gone[n]) {
      next.place(node.label, node.op, node.inputs, node.outputs);
    }
  }
  return_results(graph_, next);
  return next;
}

}  // namespace

ir::Graph fuse_regions(const ir::Graph& graph, const PassSetting& setting) {
  const auto& facts = setting.facts;
  if (!setting.regions.on || !region::RegionCompiler::exists()) return graph;
  if (!facts.storage8 || !facts.storage16 || !facts.specials_kept_f32) return graph;
  return Finder(graph, setting).rewritten();
}

}  // namespace plumb::gpu_vulkan::passes
