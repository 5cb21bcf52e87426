#pragma once

// The executor that a command runs, by --on (or --from) and by --candidate.

#include <memory>
#include <string>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cases/executors.hpp"
#include "parity/cli/flags/candidate_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/foreign/candidate.hpp"

namespace CLI {
class Option;
}

namespace plumb::parity::cli::flags {

/// Who was asked for, opened.
struct ChosenExecutor {
  std::string name = "gpu";  ///< "gpu" and "cpu" for ours, else the candidate's own
  std::string spec = {};     ///< as --candidate names it; "" of our device
  std::unique_ptr<ir::Executor> executor = {};

  /// Our device; null where it is somebody else.
  gpu_vulkan::VulkanExecutor* device() const { return dynamic_cast<gpu_vulkan::VulkanExecutor*>(executor.get()); }
  /// A backend that is not ours; null for our own executors.
  foreign::Candidate* foreign() const { return dynamic_cast<foreign::Candidate*>(executor.get()); }

  /// Whether it says which kernel ran for a node.
  bool has_kernels() const { return device() != nullptr || foreign() != nullptr; }
  /// Takes note of the case that it will run, where it is not ours.
  void begins(const cases::Case& subject) const;
  cases::Executors beside(ir::Executor& reference) const;
  /// The end of a repro line: who ran, asked so, and on which device.
  std::string repeated(const CandidateFlags& candidate) const;
};

/// Adds --candidate with all that says how it is asked; it does not go with `on`, which names one of ours.
void add_chosen_executor_flags(CLI::App& app, CandidateFlags& candidate, CLI::Option* on);

/// As fill_options, for a graph that such a candidate runs: a dump supplies the inputs that nothing else does.
verify::FillOptions fill_options(const GraphFlags& graph, const CandidateFlags& candidate);

/// Opens the executor `on`, "cpu" or "gpu", or the one that --candidate names, if it does. Throws Error as
/// open_candidate does, and Unsupported where there is no device.
ChosenExecutor open_chosen(const std::string& on, const CandidateFlags& candidate, const DeviceFlags& flags);

}  // namespace plumb::parity::cli::flags
