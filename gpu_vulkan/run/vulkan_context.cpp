// Contexts of programs that run on the device alone, and which programs do not.
#include "gpu_vulkan/run/vulkan_context.hpp"

#include <algorithm>

#include "gpu_vulkan/run/context_recording.hpp"
#include "gpu_vulkan/run/hosted_context.hpp"
#include "ir/raw/float_environment.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

/// Why runs of a program are not the device's alone; "" where they are.
std::string why_hosted(const Program& program) {
  if (program.has_host_nodes()) return "nodes run on the host";
  const device::VulkanOptions& options = program.options;
  for (const auto& [is_on, name] :
       {std::pair{options.redzone, "redzone"}, std::pair{options.step, "step"}, std::pair{options.poison, "poison"},
        std::pair{options.lifetimes, "lifetimes"}, std::pair{options.poison_bools, "marking bools"}})
    if (is_on) return ir::cat(name, " works on memory of the executable's own");
  return "";
}

class VulkanContext final : public ir::ResidentContext {
 public:
  explicit VulkanContext(std::shared_ptr<ContextMemory> memory)
      : ResidentContext({memory->program, &memory->program->graph}, memory->cells, memory->program->runtime.get()),
        memory_(std::move(memory)) {}
  ~VulkanContext() override;

  bool blocks() const override { return false; }

 private:
  std::shared_ptr<ir::Memory> allocate(std::size_t bytes) override { return allocate(bytes, Side::device); }
  std::shared_ptr<ir::Memory> allocate_for_reading(std::size_t bytes) override { return allocate(bytes, Side::host); }
  std::shared_ptr<ir::Memory> allocate(std::size_t bytes, Side side) {
    return std::make_shared<DeviceMemory>(memory_->program->runtime, bytes, memory_->program->options.staging,
                                          runtime::driver::Holder::contexts, side);
  }
  std::string why_apart(ir::Value input, ir::Value result) const override;
  void settle() override {
    if (last_ != nullptr) last_->end();
  }
  void rearranged() override {
    settle();
    recordings_ = {};
  }
  ir::Fence begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) override;

  std::shared_ptr<ContextMemory> memory_;
  std::array<std::unique_ptr<ContextRecording>, 2> recordings_;  ///< by turn
  std::array<std::shared_ptr<Running>, 3> runs_;                 ///< the last ones, in turn
  std::size_t next_run_ = 0;
  Running* last_ = nullptr;
};

VulkanContext::~VulkanContext() {
  if (last_ == nullptr) return;
  try {
    if (last_->wait(10)) return;
  } catch (const ir::DeviceError&) {  // a lost device uses nothing
    return;
  }
  // A silent device may still use these, to the end of the process.
  static_cast<void>(new std::shared_ptr<ContextMemory>(memory_));
  for (auto& recording : recordings_) static_cast<void>(recording.release());
}

std::string VulkanContext::why_apart(ir::Value input, ir::Value result) const {
  const plan::Plan& plan = memory_->plan;
  const ir::Graph& graph = memory_->program->graph;
  const std::string written = ir::cat("'", graph.name(result), "' does not lie where '", graph.name(input), "' does");
  const plan::Slot slot = plan.slot(result);
  const auto writes = [&](const plan::Dispatch& dispatch) { return std::ranges::count(dispatch.writes, slot) > 0; };
  const auto& dispatches = plan.schedule.dispatches;
  const auto writer = std::ranges::find_if(dispatches.rbegin(), dispatches.rend(), writes);
  if (writer == dispatches.rend()) return ir::cat(written, ": no node writes it");
  const ir::Node& node = graph.nodes()[writer->node];
  const std::string& reason = plan.nodes[writer->node].reason;
  const std::size_t copies = reason.find("copy: ");
  const std::string why = copies == std::string::npos ? "writes all of its result"
                                                      : reason.substr(copies, reason.find('\n', copies) - copies);
  return ir::cat(written, ": node '", node.label, "' (", node.op.name(), "): ", why);
}

ir::Fence VulkanContext::begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) {
  runtime::Runtime& runtime = *memory_->program->runtime;
  const ir::raw::FloatEnvironment own;
  runtime.require_alive();
  auto& recording = recordings_[turn];
  if (recording == nullptr) recording = std::make_unique<ContextRecording>(*memory_, arrangement);
  recording->upload(rest);
  const std::uint64_t number = recording->submit();
  auto& run = runs_[next_run_++ % runs_.size()];
  if (run.use_count() == 1)  // No fence of that run is left.
    run->become(number);
  else
    run = std::make_shared<Running>(memory_, number);
  last_ = run.get();
  return ir::Fence(run);
}

}  // namespace

std::unique_ptr<ir::Context> make_context(std::shared_ptr<const Program> program) {
  if (std::string why = why_hosted(*program); !why.empty())
    return std::make_unique<HostedContext>(std::move(program), std::move(why));
  return std::make_unique<VulkanContext>(std::make_shared<ContextMemory>(std::move(program)));
}

}  // namespace plumb::gpu_vulkan::run
