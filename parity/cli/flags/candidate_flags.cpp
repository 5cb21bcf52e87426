// Opens candidates: our own executors.
#include "parity/cli/flags/candidate_flags.hpp"

#include <CLI/CLI.hpp>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/core/did_you_mean.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli::flags {

void add_candidate_flags(CLI::App& app, CandidateFlags& flags) {
  app.add_option("--candidate", flags.candidates,
                 "whose results are judged: vulkan (the default), vulkan:DEVICE or cpu; may be repeated")
      ->type_name("SPEC");
}

OpenedCandidate open_candidate(const std::string& spec, const CandidateFlags& /*flags*/, const DeviceFlags& device) {
  OpenedCandidate opened{.name = spec, .executor = {}, .why_not = {}};
  if (spec == "cpu") {
    opened.executor = std::make_unique<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = device.threads});
    return opened;
  }
  ir::require(spec == "vulkan" || spec.starts_with("vulkan:"), "--candidate: there is no candidate '", spec, "'",
              core::did_you_mean(spec, {"vulkan", "cpu"}), "; it is vulkan, vulkan:DEVICE or cpu");
  DeviceFlags chosen = device;
  if (spec.size() > 7) chosen.device = spec.substr(7);
  try {
    opened.executor = std::make_unique<gpu_vulkan::VulkanExecutor>(vulkan_options(chosen));
  } catch (const ir::Unsupported& reason) {
    opened.why_not = reason.what();
  }
  return opened;
}

}  // namespace plumb::parity::cli::flags
