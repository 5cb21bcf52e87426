// Opens who is judged by checks.
#include "parity/cli/checking/judged.hpp"

namespace plumb::parity::cli {

Judged::Judged(const flags::CandidateFlags& candidate, const flags::DeviceFlags& flags) : device_flags(flags) {
  if (flags::is_vulkan(candidate, device_flags))
    device = std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(device_flags));
  else
    other = flags::open_candidate(candidate, device_flags);
  ir::require(flags::computes(other), "--candidate ", candidate.candidate,
              ": computes nothing, and a check needs who does");
}

std::string Judged::repeated(const flags::CandidateFlags& candidate) const {
  const std::string who = flags::repeated(candidate);
  return device ? who + flags::repeated(flags::options_to_repeat(*device)) : who;
}

}  // namespace plumb::parity::cli
