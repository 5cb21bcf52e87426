#pragma once

// One of those that `plumb verify` judges, opened.

#include <memory>
#include <string>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cases/executors.hpp"
#include "parity/cases/identity.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/planting/planted_executor.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/profile/profile.hpp"
#include "parity/verify/compile_once.hpp"

namespace plumb::parity::cli {

class VerifyCandidate {
 public:
  /// Opens the one that `spec` names. Throws Error where the spec is none, names what is not there, or does not go with
  /// the flags; that there is no device is kept instead.
  VerifyCandidate(const flags::VerifyFlags& flags, const std::string& spec);

  const std::string& name() const { return name_; }
  const cases::RunSettings& settings() const { return settings_; }
  /// Our device; nothing where it is somebody else who is judged, or there is none.
  gpu_vulkan::VulkanExecutor* device() { return device_.get(); }
  const gpu_vulkan::VulkanExecutor* device() const { return device_.get(); }

  /// Who is judged, where that is nobody of ours; else null.
  foreign::Candidate* foreign() { return dynamic_cast<foreign::Candidate*>(other_.executor.get()); }
  const foreign::Candidate* foreign() const { return dynamic_cast<const foreign::Candidate*>(other_.executor.get()); }

  /// A line on what its limits assume without a profile; "" of our CPU executor, whose arithmetic is known.
  std::string assumptions() const;
  /// The device profile of the run, which becomes one of its settings.
  void set_profile(const std::string& sha256, std::shared_ptr<const std::string> text);

  /// Reads what a dump was fed; empty where it does not say so, or is no dump.
  const verify::TensorReader& inputs() const { return other_.inputs; }

  cases::Executors executors(ir::Executor& reference, const profile::DeviceProfile& profile);

  /// Which attempt at a run the next one is, from 1: what is planted may depend on it.
  void set_attempt(unsigned attempt);

  /// The gate as it holds for this candidate's device.
  policy::Gate gate_for(const policy::Gate& gate, const std::string& fill) const;

  /// The end of a repro line: these flags, for this candidate alone.
  std::string repeated_flags(const flags::VerifyFlags& flags, const verify::FillOptions& fill) const;

 private:
  void open_device();
  void open_other(const flags::VerifyFlags& flags);

  std::string name_;
  flags::CandidateFlags flags_;
  flags::DeviceFlags device_flags_;            ///< with the device that the spec names
  gpu_vulkan::device::VulkanOptions options_;  ///< those that a repro line repeats
  cases::RunSettings settings_;
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device_;
  std::string why_no_device_;
  std::vector<Plant> plants_;
  std::unique_ptr<PlantedExecutor> planted_;  ///< the one that is judged with faults in it, where there are any
  library::OpenedCandidate other_;            ///< who is judged, where that is not the device
};

}  // namespace plumb::parity::cli
