// Everything of a compiled graph that its runs read and none changes.
#include "gpu_vulkan/run/program.hpp"

#include <algorithm>

#include "ir/ops/constant.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::gpu_vulkan::run {

const ir::Bytes* constant_bytes(const ir::Graph& graph, ir::Value value) {
  const auto producer = graph.producer(value);
  if (!producer || !graph.nodes()[*producer].op.is<ir::ops::Constant>()) return nullptr;
  return &graph.nodes()[*producer].op.as<ir::ops::Constant>().data;
}

Program::Program(std::shared_ptr<runtime::Runtime> of, const device::VulkanOptions& by, const ir::Graph& compiled,
                 const ir::Feeds& params, passes::Fused whole, plan::Plan made, HeldSlots held)
    : runtime(std::move(of)),
      options(by),
      original(compiled),
      fused(std::move(whole)),
      graph(fused.graph),
      plan(std::move(made)) {
  for (const ir::Value v : plan.captured)
    if (const auto source = resident_source(v); source && graph.is_source(*source))
      captured_params.emplace(*source, ir::fed(graph, params, *source));
  for (const plan::Segment& segment : plan.segments)
    for (const std::size_t n : segment.host_nodes)
      for (const ir::Value v : graph.nodes()[n].inputs)
        if (graph.is_source(v) && v >= graph.inputs().size())
          host_params.try_emplace(graph.name(v), ir::fed(graph, params, v));
  residents.emplace(*runtime, plan, options, contents(params), std::move(held));
}

/// The bytes of all resident slots; checks that all params are there.
Residents::Contents Program::contents(const ir::Feeds& params) const {
  Residents::Contents contents;
  for (ir::Value v = 0; v < graph.value_count(); ++v) {
    if (!graph.defined(v) || v < graph.inputs().size()) continue;
    const bool placed = plan.placed(plan.slot(v));
    if (graph.is_source(v)) {
      const auto& fed = ir::fed(graph, params, v);
      if (placed) contents.emplace_back(plan.slot(v), fed.bytes());
    } else if (const auto* bytes = constant_bytes(graph, v); bytes != nullptr && placed) {
      contents.emplace_back(plan.slot(v), *bytes);
    }
  }
  for (plan::Slot s = 0; s < plan.schedule.slots.size(); ++s)
    if (const auto& content = plan.schedule.slots[s].content; !content.empty() && plan.placed(s))
      contents.emplace_back(s, content);
  return contents;
}

/// The param or constant that a value is, perhaps in another shape.
std::optional<ir::Value> Program::resident_source(ir::Value value) const {
  const auto is_one = [&](ir::Value v) {
    return (graph.is_source(v) && v >= graph.inputs().size()) || constant_bytes(graph, v) != nullptr;
  };
  if (is_one(value)) return value;
  const plan::Slot slot = plan.slot(value);
  if (slot == plan::Plan::no_slot || plan.schedule.slots[slot].residence != plan::Residence::resident)
    return std::nullopt;
  for (ir::Value v = 0; v < graph.value_count(); ++v)
    if (graph.defined(v) && plan.slot(v) == slot && is_one(v)) return v;
  return std::nullopt;
}

std::optional<std::span<const std::byte>> Program::known(ir::Value value) const {
  if (graph.type(value).bytes() == 0) return std::span<const std::byte>{};
  const auto source = resident_source(value);
  if (!source) return std::nullopt;
  if (const auto param = captured_params.find(*source); param != captured_params.end()) return param->second.bytes();
  return *constant_bytes(graph, *source);
}

void Program::require_replaceable(const ir::ParamNames& params) const {
  if (params.empty()) return;
  const auto refuse = [](const auto&... why) { throw ir::Unsupported(ir::cat("params cannot be replaced: ", why...)); };
  if (options.redzone) refuse("with redzone an executable has its own");
  const auto is_one = [&](ir::Value v) { return graph.is_source(v) && params.contains(graph.name(v)); };
  for (const auto& [value, tensor] : captured_params)
    if (is_one(value)) refuse("a wanted value is '", graph.name(value), "' in another shape");
  for (const plan::Segment& segment : plan.segments)
    for (const std::size_t n : segment.host_nodes)
      for (const ir::Value v : graph.nodes()[n].inputs)
        if (is_one(v)) refuse("node '", graph.nodes()[n].label, "' reads '", graph.name(v), "' on the host");
}

bool Program::is_captured(ir::Value value) const { return std::ranges::binary_search(plan.captured, value); }

bool Program::has_host_nodes() const {
  return std::ranges::any_of(plan.segments, [](const plan::Segment& segment) { return !segment.host_nodes.empty(); });
}

std::uint64_t Program::bytes() const {
  std::uint64_t bytes = residents->bytes();
  for (const auto& [name, tensor] : host_params) bytes += tensor.bytes().size();
  for (const auto& [value, tensor] : captured_params) bytes += tensor.bytes().size();
  return bytes;
}

std::uint64_t Program::identity() const {
  std::uint64_t identity = ir::structural_hash(graph);
  const auto add = [&]<class T>(const T& value) {
    identity = ir::raw::hash_bytes(std::as_bytes(std::span(value)), identity);
  };
  const auto add_number = [&](std::uint64_t number) { add(std::array{number}); };
  const device::DeviceFacts& facts = runtime->device.facts();
  for (const std::string& text : {facts.name, facts.driver_name, facts.driver_info}) add(text);
  add_number(facts.driver_version);
  for (const plan::Dispatch& dispatch : plan.schedule.dispatches) {
    add(dispatch.shader.name);
    add(dispatch.shader.constants.values());
    add_number(dispatch.shader.subgroup_size);
    if (dispatch.shader.words != nullptr) add(*dispatch.shader.words);
    add(dispatch.push.bytes());
    add(dispatch.groups);
    for (const auto* list : {&dispatch.reads, &dispatch.writes}) add(*list);
  }
  for (const auto& slot : plan.schedule.slots) add(slot.content);
  return identity;
}

}  // namespace plumb::gpu_vulkan::run
