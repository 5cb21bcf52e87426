// A compiled graph on a device: uploads, runs segments in turn with the host's nodes, and reports by node.
#include "gpu_vulkan/run/executable.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>

#include "gpu_vulkan/run/stopwatch.hpp"
#include "gpu_vulkan/run/vulkan_context.hpp"
#include "ir/dumps/run_dumper.hpp"
#include "ir/ops/quantize_blocks.hpp"
#include "ir/ops/sample.hpp"
#include "ir/raw/copy_bytes.hpp"
#include "ir/raw/float_environment.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

/// Whether the device has ended the submit, which it gets more time for once: usually it was only slow. A software
/// driver whose threads still run when the process ends would crash in unloaded libraries.
bool is_done(runtime::Runtime& runtime, std::uint64_t number) {
  try {
    const bool has_ended = runtime.timeline.wait_for(number, std::chrono::seconds(runtime.silent ? 0 : 10));
    if (!has_ended) runtime.silent = true;  // run() has said so before
    return has_ended;
  } catch (const ir::DeviceError&) {  // a lost device uses nothing
    return true;
  }
}

/// Keeps the objects that a silent device may still be using alive to the end of the process. Executors may have
/// threads of their own.
void abandon(std::shared_ptr<const Program> program, std::unique_ptr<Recording> recording) {
  static std::mutex lock;
  static auto& kept = *new std::vector<std::pair<std::shared_ptr<const Program>, std::unique_ptr<Recording>>>;
  const std::scoped_lock held(lock);
  kept.emplace_back(std::move(program), std::move(recording));
}

}  // namespace

VulkanExecutable::VulkanExecutable(std::shared_ptr<const Program> program)
    : program_(std::move(program)),
      plan_(program_->plan),
      graph_(program_->graph),
      runtime_(*program_->runtime),
      recording_(std::make_unique<Recording>(runtime_, plan_, graph_, program_->options, *program_->residents)) {
  make_host_parts();
  find_known();
  runtime_.pipelines.save();
}

VulkanExecutable::~VulkanExecutable() {
  if (!is_done(runtime_, recording_->last())) abandon(std::move(program_), std::move(recording_));
}

std::unique_ptr<ir::Context> VulkanExecutable::context() { return make_context(program_); }

std::uint64_t VulkanExecutable::bytes() const {
  std::uint64_t bytes = program_->bytes() + recording_->bytes();
  for (const auto& part : host_parts_)
    if (part != nullptr) bytes += part->bytes();
  for (const auto& [value, tensor] : others_) bytes += tensor.bytes().size();
  return bytes;
}

void VulkanExecutable::find_known() {
  for (const ir::Value v : plan_.captured) {
    const bool is_source = graph_.is_source(v) && v >= graph_.inputs().size();
    if (is_source || constant_bytes(graph_, v) != nullptr || graph_.type(v).bytes() == 0)
      known_.emplace_back(v, *program_->known(v));
  }
}

void VulkanExecutable::make_host_parts() {
  std::vector<bool> visible(graph_.value_count());
  for (const ir::Value v : plan_.captured) visible[v] = true;
  host_reads_ = visible;
  for (const ir::Node& node : graph_.nodes())
    for (const ir::Value v : node.inputs) visible[v] = true;
  for (const plan::Segment& segment : plan_.segments)
    for (const std::size_t n : segment.host_nodes)
      for (const ir::Value v : graph_.nodes()[n].inputs) host_reads_[v] = true;
  for (const plan::Segment& segment : plan_.segments)
    host_parts_.push_back(segment.host_nodes.empty()
                              ? nullptr
                              : std::make_unique<HostPart>(graph_, segment.host_nodes, visible, program_->host_params,
                                                           *program_->options.host));
  make_others(visible);
}

/// Values that the host has and nobody wants.
void VulkanExecutable::make_others(const std::vector<bool>& visible) {
  const auto keep = [&](ir::Value v) {
    if (!program_->is_captured(v)) others_.emplace(v, ir::Tensor(graph_.type(v)));
  };
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v)
    if (host_reads_[v]) keep(v);
  for (const plan::Segment& segment : plan_.segments) {
    for (const ir::Value v : segment.downloads) keep(v);
    for (const std::size_t n : segment.host_nodes)
      for (const ir::Value v : graph_.nodes()[n].outputs)
        if (visible[v]) keep(v);
  }
}

ir::Tensors VulkanExecutable::run(const ir::Feeds& inputs) {
  ir::Tensors results;
  run_into(inputs, results);
  return results;
}

void VulkanExecutable::run_into(const ir::Feeds& inputs, ir::Tensors& results) {
  const Turns::Turn turn(turns_);
  const ir::raw::FloatEnvironment own;
  runtime_.require_alive();
  const auto is_foreign = [&](const auto& entry) {
    return !program_->is_captured(entry.first) || entry.second.type() != graph_.type(entry.first);
  };
  std::erase_if(results, is_foreign);
  OnHost on_host(plan_.captured, results, others_);
  times_ = {};
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v) {
    const ir::Tensor& tensor = ir::fed(graph_, inputs, v);
    if (host_reads_[v]) on_host.put(v, tensor.type(), tensor.bytes());
  }
  for (std::size_t s = 0; s < plan_.segments.size(); ++s) run_segment(s, inputs, on_host);
  throw_damage();
  runtime_.instance.throw_new_messages();
  for (const auto& [value, bytes] : known_) on_host.put(value, graph_.type(value), bytes);
}

void VulkanExecutable::run_segment(std::size_t segment, const ir::Feeds& inputs, OnHost& on_host) {
  const plan::Segment& part = plan_.segments[segment];
  Stopwatch watch;
  for (const ir::Value v : part.uploads) {
    const ir::Tensor* const made = graph_.is_source(v) ? &ir::fed(graph_, inputs, v) : on_host.find(v);
    ir::require(made != nullptr, "value '", graph_.name(v), "' is wanted on the device before anything made it");
    ir::raw::copy_bytes(made->bytes(), recording_->upload_bytes(v));
  }
  times_.upload += watch.lap();
  try {
    recording_->run(segment, times_);
  } catch (const ir::DeviceError& error) {
    runtime_.lose(error.what());
    throw;
  }
  throw_fault();
  watch.lap();
  for (const ir::Value v : part.downloads) on_host.put(v, graph_.type(v), recording_->download_bytes(v));
  times_.download += watch.lap();
  if (host_parts_[segment] != nullptr) host_parts_[segment]->run(on_host);
}

RunTimes VulkanExecutable::times() const {
  const Turns::Turn turn(turns_);
  RunTimes times = times_;
  times.device = recording_->device_nanoseconds();
  return times;
}

void throw_fault(const ir::Graph& graph, const plan::Fault& fault) {
  const ir::Node& node = graph.nodes().at(fault.node);
  if (node.op.is<ir::ops::QuantizeBlocks>())
    ir::fail("node '", node.label, "' (", node.op.name(), "): x[", fault.position, "] is ",
             std::bit_cast<float>(fault.value_low), ", which no code stands for");
  if (node.op.is<ir::ops::Sample>() && fault.value() == 0)
    ir::fail("node '", node.label, "' (", node.op.name(), "): logits[", fault.position,
             "] is nan, which has no probability");
  if (node.op.is<ir::ops::Sample>())
    ir::fail("node '", node.label, "' (", node.op.name(), "): row ", fault.position,
             " of logits has no token above -inf");
  ir::fail("node '", node.label, "' (", node.op.name(), "): index ", fault.value(), " at position ", fault.position,
           " is out of range");
}

void VulkanExecutable::throw_fault() {
  const plan::Fault fault = recording_->take_fault();
  if (fault.raised != 0) run::throw_fault(graph_, fault);
}

std::string VulkanExecutable::describe(plan::Slot slot) const {
  for (ir::Value v = 0; v < plan_.slots.size(); ++v)
    if (plan_.slots[v] == slot) {
      const auto producer = graph_.producer(v);
      return ir::cat("'", graph_.name(v), "' ", graph_.type(v),
                     producer ? ir::cat(" (", graph_.nodes()[*producer].op.name(), ")") : "");
    }
  for (const plan::Dispatch& dispatch : plan_.schedule.dispatches)
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      if (std::ranges::find(*list, slot) != list->end())
        return ir::cat("scratch memory of node '", graph_.nodes()[dispatch.node].label, "' (",
                       graph_.nodes()[dispatch.node].op.name(), ")");
  return ir::cat("slot ", slot);
}

void VulkanExecutable::throw_damage() const {
  const auto damage = recording_->damage();
  if (!damage) return;
  ir::fail("a kernel wrote into the red zone of ", describe(damage->slot), ", ", damage->distance, " bytes ",
           damage->after ? "behind it" : "before it");
}

std::vector<ir::NodeReport> VulkanExecutable::nodes() const {
  const Turns::Turn turn(turns_);
  auto reports = plan_.nodes;
  for (auto& report : reports)
    report.marked_bools =
        report.placement == ir::Placement::gpu && (program_->options.poison || program_->options.poison_bools);
  const auto spent = recording_->nanoseconds();
  for (std::size_t d = 0; d < spent.size(); ++d)
    if (spent[d]) {
      auto& total = reports[plan_.schedule.dispatches[d].node].nanoseconds;
      total = total.value_or(0) + *spent[d];
    }
  for (const auto& part : host_parts_) {
    if (part == nullptr) continue;
    const auto on_host = part->reports();
    for (std::size_t i = 0; i < on_host.size(); ++i) reports[part->nodes()[i]].nanoseconds = on_host[i].nanoseconds;
  }
  return passes::reports_of(program_->fused, program_->original, reports);
}

std::optional<RunTimes> run_times(const ir::Executable& executable) {
  const auto* const ours = dynamic_cast<const VulkanExecutable*>(&ir::undumped(executable));
  return ours != nullptr ? std::optional(ours->times()) : std::nullopt;
}

}  // namespace plumb::gpu_vulkan::run
