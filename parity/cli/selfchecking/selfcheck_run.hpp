#pragma once

// The checks of `plumb selfcheck`, by what they are about.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/studies/selfcheck/checklist.hpp"
#include "parity/studies/selfcheck/gate.hpp"
#include "parity/studies/selfcheck/small_cases.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {

struct SelfcheckFlags {
  bool quick = false, full = false, force = false;
  std::string policy, today, json;
  std::vector<std::string> plants;
  flags::DeviceFlags device;
};

/// One call of the command.
class SelfcheckRun {
 public:
  /// Throws Error for a policy that cannot be read, and for a fault that there is not.
  SelfcheckRun(const SelfcheckFlags& flags, std::function<void(const studies::selfcheck::Check&)> tell);

  /// Makes all checks.
  void run();

  const studies::selfcheck::Checklist& checklist() const { return checklist_; }

 private:
  using Area = studies::selfcheck::Area;
  using Found = studies::selfcheck::Found;
  using Trial = studies::selfcheck::Trial;

  void check_host();
  void check_driver();
  void check_caches();
  void check_executors();
  void check_files();
  void check_policy();
  void check_honesty();
  void check_device_honesty();

  Found environment() const;
  Found driver();
  Found cooperative();
  Found cache() const;
  Found calibration() const;
  Found profile() const;
  Found oracles();
  Found threads() const;
  Found ops();
  Found files();
  Found policy();
  Found limit();

  /// Trials of the graph in the scratch folder, with these words behind it.
  Trial trial(std::string what, const std::string& words, core::ExitCode wanted) const;
  Found ends(const std::vector<Trial>& trials) const;
  void run_trials(std::string name, const std::function<std::vector<Trial>()>& trials);

  /// The host as a candidate.
  cases::Executors host();
  /// Checks that need what is missing are skipped.
  void skip(Area area, std::string name, const std::string& why);

  const SelfcheckFlags& flags_;
  const gpu_vulkan::device::VulkanOptions options_;
  std::optional<policy::Gate> gate_;
  studies::selfcheck::Checklist checklist_;
  ref_cpu::CpuExecutor reference_;
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device_;
  std::string why_no_device_;
  std::unique_ptr<foreign::Scratch> scratch_;  ///< none where the temp folder takes no files
};

}  // namespace plumb::parity::cli
