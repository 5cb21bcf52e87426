#pragma once

// The flags that choose who is judged, shared by the commands that judge.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "library/open_candidate.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/model_files.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

struct CandidateFlags {
  std::string candidate = "vulkan";  ///< [NAME=]SPEC
  library::CandidateOptions options;
};

void add_candidate_flags(CLI::App& app, CandidateFlags& flags);

/// Whether the candidate is our Vulkan device, which its own flags open; `flags` then names the device that the
/// candidate's spec does.
bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& flags);

/// Lets the inputs that a dump has settle what models leave open.
void settle_by_dump(const CandidateFlags& candidate, ModelFlags& model);

/// Opens any other candidate. Throws Error where the spec is none, or names what is not there.
library::OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags);

/// Whether it computes, so that it can be run again and on other inputs; a dump does not.
bool computes(const library::OpenedCandidate& candidate);

/// The files that a candidate's flags name and that are read, which no output may replace.
std::vector<std::filesystem::path> files_read(const CandidateFlags& flags);

/// Those flags as a shell takes them again; "" where all are as without any.
std::string repeated(const CandidateFlags& flags);

}  // namespace plumb::parity::cli::flags
