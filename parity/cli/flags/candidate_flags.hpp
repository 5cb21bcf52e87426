// The flags that say whose results are judged, shared by all commands that judge any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "parity/cli/flags/device_flags.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::foreign {
class Candidate;
}

namespace plumb::parity::cli::flags {

struct CandidateFlags {
  std::vector<std::string> candidates;
  std::string taps = "surviving", names, pair = "usual";
  std::string timeout = "600s";
  std::string keep_exchange;
};

void add_candidate_flags(CLI::App& app, CandidateFlags& flags);

/// A candidate that was opened, or the reason why it was not.
struct OpenedCandidate {
  std::string name;
  std::unique_ptr<ir::Executor> executor;
  foreign::Candidate* foreign = nullptr;  ///< the executor, where it is somebody else's
  std::string why_not;                    ///< where there is no executor, since nothing here can run it
};

/// Opens a candidate by its specification. Throws Error for one that cannot be read.
OpenedCandidate open_candidate(const std::string& spec, const CandidateFlags& flags, const DeviceFlags& device);

}  // namespace plumb::parity::cli::flags
