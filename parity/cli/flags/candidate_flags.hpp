#pragma once

// The flags that choose who is judged, shared by the commands that judge.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/verify/verify.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::foreign {
class Candidate;
}

namespace plumb::parity::cli::flags {

struct CandidateFlags {
  std::string candidate = "vulkan";  ///< [NAME=]SPEC
  std::string taps = "surviving", names, pair = "usual", keep_exchange;
  unsigned timeout = 600;  ///< seconds

  // How a function is called (py, tvmffi).
  std::string framework, arguments;
  bool returns = false;
  unsigned align = 0;
};

void add_candidate_flags(CLI::App& app, CandidateFlags& flags);

/// A candidate that is not our device, ready to be compiled for.
struct OpenedCandidate {
  std::unique_ptr<ir::Executor> executor = {};
  foreign::Candidate* foreign = nullptr;  ///< the executor, where it is somebody else's
  verify::TensorReader inputs = {};       ///< where it is a dump that has all inputs of a graph, these; else none

  /// Whether it is our CPU executor, for which the host is no fallback.
  bool is_host() const { return executor != nullptr && foreign == nullptr; }
  /// Whether it may give 0 for a subnormal number: somebody else's may unless it says that it does not.
  bool may_flush_subnormals() const;
};

/// Whether the candidate is our Vulkan device, which its own flags open; `flags` then names the device that the
/// candidate's spec does.
bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& flags);

/// Lets the inputs that a dump has settle what models leave open.
void settle_by_dump(const CandidateFlags& candidate, ModelFlags& model);

/// Opens any other candidate. Throws Error where the spec is none, or names what is not there.
OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags);

/// The files that a candidate's flags name and that are read, which no output may replace.
std::vector<std::filesystem::path> files_read(const CandidateFlags& flags);

/// Those flags as a shell takes them again; "" where all are as without any.
std::string repeated(const CandidateFlags& flags);

}  // namespace plumb::parity::cli::flags
