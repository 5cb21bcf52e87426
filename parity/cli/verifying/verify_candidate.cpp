// Opens who is judged: our device, our CPU executor, or a backend that is not ours.
#include "parity/cli/verifying/verify_candidate.hpp"

#include "parity/cli/verifying/assumptions.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/foreign/spec.hpp"
#include "parity/profile/profile_file.hpp"

namespace plumb::parity::cli {

VerifyCandidate::VerifyCandidate(const flags::VerifyFlags& flags, const std::string& spec)
    : name_(foreign::parse_spec(spec).name), flags_(flags.candidate), device_flags_(flags.device) {
  flags_.candidate = spec;
  if (flags::is_vulkan(flags_, device_flags_))
    open_device();
  else
    open_other(flags);
  // Alone, our device is called so whichever it is: records of one graph on several devices are compared.
  if (flags.candidates.size() > 1) settings_.candidate = spec;
  for (const std::string& text : flags.plants) plants_.push_back(parse_plant(text));
  settings_.planted = flags.plants;
  settings_.validate = flags.validate;
}

/// No flag goes with such a candidate that changes what our device runs.
void VerifyCandidate::open_other(const flags::VerifyFlags& flags) {
  const std::string& spec = flags_.candidate;
  const auto refuse = [&](bool is_set, const char* flag) {
    ir::require(!is_set, flag, " is about our own Vulkan device, and --candidate names ", spec);
  };
  refuse(flags.each_kernel, "--each-kernel");
  refuse(!flags.emulate.empty(), "--emulate");
  other_ = flags::open_candidate(flags_, device_flags_);
  if (flags.seeds != 1) flags::require_computes(*other_.executor, spec, ir::cat("--seeds asks for ", flags.seeds));
  if (!flags.graph.model.buckets.empty()) flags::require_computes(*other_.executor, spec, "--bucket asks for another");
  if (flags.graph.model.gguf.decode > 0) flags::require_computes(*other_.executor, spec, "--decode asks for steps");
  settings_.candidate = spec;
  if (flags_.options.taps != library::CandidateOptions{}.taps)
    settings_.knobs.emplace_back("taps", flags_.options.taps);
}

void VerifyCandidate::open_device() try {
  options_ = flags::vulkan_options(device_flags_);
  settings_ = flags::run_settings(options_);
  device_ = std::make_unique<gpu_vulkan::VulkanExecutor>(options_);
  options_ = flags::options_to_repeat(*device_);
  settings_.calibration = flags::calibration_of(*device_);
} catch (const ir::Unsupported& reason) {
  why_no_device_ = reason.what();
}

void VerifyCandidate::set_profile(const std::string& sha256, std::shared_ptr<const std::string> text) {
  settings_.profile = sha256;
  settings_.profile_text = std::move(text);
}

std::string VerifyCandidate::assumptions() const {
  if (foreign() != nullptr) return assumptions_of(*foreign(), settings_.candidate);
  if (other_.executor) return "";
  return "no device profile: assuming the most pessimistic matrix-unit accumulation; run `plumb probe` to measure it";
}

cases::Executors VerifyCandidate::executors(ir::Executor& reference, const profile::DeviceProfile& profile) {
  ir::Executor* const opened = other_.executor ? other_.executor.get() : device_.get();
  cases::Executors made = opened != nullptr ? library::executors_of(reference, *opened)
                                            : cases::Executors{.reference = reference, .why_not = why_no_device_};
  library::set_profile(made, profile);
  if (plants_.empty() || made.candidate == nullptr) return made;
  if (!planted_) planted_ = std::make_unique<PlantedExecutor>(*made.candidate, reference, plants_);
  made.candidate = planted_.get();
  return made;
}

void VerifyCandidate::set_attempt(unsigned attempt) {
  if (planted_) planted_->set_attempt(attempt);
}

policy::Gate VerifyCandidate::gate_for(const policy::Gate& gate, const std::string& fill) const {
  policy::Gate made = gate;
  if (!device_) return made;
  const auto& facts = device_->facts();
  made.device = policy::device_facts(facts.name, facts.driver_name, facts.driver_info);
  made.device.fill = fill.substr(0, fill.find(':'));
  made.device.device_profile = settings_.profile;
  return made;
}

std::string VerifyCandidate::repeated_flags(const flags::VerifyFlags& flags, const verify::FillOptions& fill) const {
  flags::VerifyFlags of_this = flags;
  of_this.candidate.candidate = flags_.candidate;
  return flags::repeated_flags(of_this, fill, options_);
}

}  // namespace plumb::parity::cli
