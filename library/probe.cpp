// Runs the experiments of a probe on executors of ours and on those that are not.
#include "library/probe.hpp"

#include <functional>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "library/describe.hpp"
#include "library/reference.hpp"
#include "parity/foreign/callback.hpp"
#include "parity/foreign/spec.hpp"

namespace plumb::library {

namespace core = parity::core;
namespace foreign = parity::foreign;
namespace profile = parity::profile;

namespace {

/// Runs trials on a candidate, and remembers what it says where it refuses them all.
class Trials {
 public:
  explicit Trials(foreign::Candidate& candidate) : candidate_(candidate) {}

  std::vector<core::TrialEnd> operator()(std::vector<core::Trial> trials) {
    std::vector<core::TrialEnd> ends = candidate_.run_trials(std::move(trials));
    for (const core::TrialEnd& end : ends)
      if (!end.refused)
        has_run_ = true;
      else if (refusal_.empty())
        refusal_ = *end.refused;
    return ends;
  }

  /// Throws Unsupported where it ran none.
  void require_some() const {
    if (!has_run_) throw ir::Unsupported(ir::cat("the candidate refuses all experiments: ", refusal_));
  }

 private:
  foreign::Candidate& candidate_;
  bool has_run_ = false;
  std::string refusal_;
};

void require_graphs(foreign::Kind kind, const std::string& who) {
  using foreign::Kind;
  ir::require(kind != Kind::file, who, ": a file of tensors cannot be probed, since nothing computes them");
  ir::require(kind != Kind::py && kind != Kind::tvmffi, who,
              ": one function cannot be probed, which takes graphs of many ops");
}

}  // namespace

profile::DeviceProfile probe_candidate(foreign::Candidate& candidate, ir::Executor& reference,
                                       profile::probe::ProbeOptions options) {
  const foreign::Description description = candidate.description();
  Trials trials(candidate);
  options.is_host = true;  // wherever it computes, it computes there
  options.at_once = true;
  const profile::Device device{
      .uuid = description.kind, .name = foreign::to_text(description), .driver_name = description.kind};
  auto found = profile::probe::probe(std::ref(trials), reference, device, options);
  trials.require_some();
  return found;
}

profile::DeviceProfile probe_host(ref_cpu::CpuExecutor& cpu, profile::probe::ProbeOptions options) {
  options.is_host = true;
  const profile::Device host{.uuid = "cpu", .name = cpu_name(), .driver_name = "ref_cpu"};
  return profile::probe::probe(cpu, cpu, host, options);
}

profile::DeviceProfile probe_device(gpu_vulkan::VulkanExecutor& device, ir::Executor& reference,
                                    const profile::probe::ProbeOptions& options) {
  return profile::probe::probe(device, reference, describe(device.facts()), options);
}

void require_probed(const std::string& spec) { require_graphs(foreign::parse_spec(spec).kind, "--candidate " + spec); }

profile::DeviceProfile probe(ir::Executor& executor, const profile::probe::ProbeOptions& options) {
  if (auto* const cpu = dynamic_cast<ref_cpu::CpuExecutor*>(&executor)) return probe_host(*cpu, options);
  ref_cpu::CpuExecutor reference = reference_executor(0);
  if (auto* const device = dynamic_cast<gpu_vulkan::VulkanExecutor*>(&executor))
    return probe_device(*device, reference, options);
  auto* const candidate = dynamic_cast<foreign::Candidate*>(&executor);
  ir::require(candidate != nullptr, "'", executor.name(), "' is no executor that can be probed");
  const foreign::Description about = candidate->description();
  ir::require(about.kind != foreign::callback_kind, "a callback computes one graph as a whole, and a probe asks many");
  if (const auto kind = ir::enum_value<foreign::Kind>(about.kind)) require_graphs(*kind, about.kind + ':' + about.spec);
  return probe_candidate(*candidate, reference, options);
}

}  // namespace plumb::library
