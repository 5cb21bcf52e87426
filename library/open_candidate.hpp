#pragma once

// Opens whom a user names as the one that is judged: "file:dump.npz", "py:kernel.py::run" (docs/foreign_backends.md).

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "parity/cases/executors.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::library {

/// How a candidate is asked; its kind says which of these it knows.
struct CandidateOptions {
  std::string taps = "surviving";  ///< the values that it is asked for: results, surviving or all
  std::string names = {};          ///< a file that says which of its tensors are which values
  std::string pair = "usual";      ///< statistics: find tensors without a known name by shape and norm, too
  std::string storage = "graph";   ///< observed: narrower floats than the graph's are judged as stored in these
  unsigned timeout = 600;          ///< seconds that it may take for a run
  std::string keep_exchange = {};  ///< a folder that keeps what goes to it and comes from it

  // How a function is called (py, tvmffi).
  std::string framework = {}, arguments = {};
  bool returns = false;
  unsigned align = 0;
  std::string memory = {};  ///< where a library's function has its tensors: host, cuda or cuda:N (tvmffi)

  std::string device = {};  ///< that of our Vulkan executor, and of a Python function's tensors
  int threads = 0;          ///< threads of our CPU executor; 0: one for every core
};

/// How values may be stored that arrive. Throws Error for another text than the two that there are.
parity::foreign::Storage storage_of(const std::string& text);

/// A candidate, ready to be compiled for.
struct OpenedCandidate {
  std::unique_ptr<ir::Executor> executor = {};
  parity::verify::TensorReader inputs = {};  ///< where it is a dump that has all inputs of a graph, these; else none
};

/// Opens a candidate, [NAME=]SPEC. Throws Error where the spec is none, or names what is not there, and Unsupported
/// where it is our Vulkan executor and there is no device.
OpenedCandidate open_candidate(const std::string& spec, const CandidateOptions& options = {});

/// The files that a candidate's spec and options name and that are read, which no output may replace.
std::vector<std::filesystem::path> files_read(const std::string& spec, const CandidateOptions& options);

/// The two sides of a comparison, with what is known of the candidate, whoever it is.
parity::cases::Executors executors_of(ir::Executor& reference, ir::Executor& candidate);

/// Lets a profile, which must outlive them, say what is known of the candidate's arithmetic: who runs may flush
/// subnormal numbers unless it promises to keep them, or the profile knows.
void set_profile(parity::cases::Executors& executors, const parity::profile::DeviceProfile& profile);

}  // namespace plumb::library
