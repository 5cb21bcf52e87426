#pragma once

// How a case of `plumb reduce` ends, in a process of its own.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/studies/reduce/candidate.hpp"
#include "parity/studies/reduce/signature.hpp"

namespace plumb::parity::cli {

/// How one run of a case ended.
struct CaseEnding {
  studies::reduce::Signature signature = {};  ///< its kind is empty where it did not fail
  std::string verdict = {};                   ///< "passed", in a word
  std::vector<std::string> why = {};          ///< a line for each output that is wrong
  bool is_unsupported = false;                ///< nothing ran
  bool is_refused = false;                    ///< the command line was, and there was no case
  std::string message = {};                   ///< then why
  std::chrono::milliseconds took = {};
};

/// Runs cases by `plumb verify`, each in a child of this process, or asks a command of the user's instead.
class CaseRuns {
 public:
  /// `flags` must outlive it: device, candidate, --plant, --repeat, and what the graph at `paths[0]` is fed. `check`:
  /// the words of --check, empty without. Files go into `folder`.
  CaseRuns(const flags::VerifyFlags& flags, std::vector<std::string> keep, std::vector<std::string> check,
           std::filesystem::path folder);

  /// The case as the command line has it.
  CaseEnding original(std::chrono::milliseconds limit) const;
  /// A candidate.
  CaseEnding run(const studies::reduce::Candidate& candidate, std::chrono::milliseconds limit) const;
  /// The values that its nodes give: those of the device where it shows them, else of the CPU executor where that can
  /// compute the graph.
  ir::Tensors values(const studies::reduce::Candidate& candidate, std::chrono::milliseconds limit) const;

  /// The line that a shell runs a candidate's file by, after the name of the program, with that of the file as it is
  /// given.
  std::string line(const studies::reduce::Candidate& candidate, const std::string& file) const;

 private:
  std::string flags_for(const ir::Graph& graph, const flags::VerifyFlags& fed) const;
  flags::VerifyFlags bare() const;
  ir::Tensors values_of_host(const studies::reduce::Candidate& candidate) const;
  std::string write(const studies::reduce::Candidate& candidate) const;
  CaseEnding verify(const std::string& path, const std::string& flags, std::chrono::milliseconds limit) const;
  CaseEnding check(const std::string& path, std::chrono::milliseconds limit) const;

  const flags::VerifyFlags& flags_;
  const std::vector<std::string> keep_, check_;
  const std::filesystem::path folder_;
  std::vector<Plant> plants_;
  gpu_vulkan::device::VulkanOptions device_;  ///< those that a repro line repeats
};

}  // namespace plumb::parity::cli
