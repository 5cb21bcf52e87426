#pragma once

// The flags that choose who is judged, shared by the commands that judge.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "library/open_candidate.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/verify/verify.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::parity::cli::flags {

struct CandidateFlags {
  std::string candidate = "vulkan";  ///< [NAME=]SPEC
  library::CandidateOptions options;
};

/// --candidate, which is returned, and all that says how it is asked.
CLI::Option* add_candidate_flags(CLI::App& app, CandidateFlags& flags);

/// --storage, for a command that judges values one by one.
void add_storage_flag(CLI::App& app, CandidateFlags& flags);

/// Likewise, for a command that judges several: --candidate once for each, whose specs go into `specs`. --memory, which
/// says more there, is not among them (memory_flags.hpp).
void add_candidates_flags(CLI::App& app, std::vector<std::string>& specs, CandidateFlags& flags);

/// Throws Error where there are more than eight of them, or two have one name.
void require_candidates(const std::vector<std::string>& specs);

/// Whether the candidate is our Vulkan device, which its own flags open; `flags` then names the device that the
/// candidate's spec does.
bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& flags);

/// Lets the inputs that a dump has settle what models leave open: the first of these candidates that is one.
void settle_by_dump(const std::vector<std::string>& specs, ModelFlags& model);

/// Feeds a graph what such a dump was fed, where nothing else says what that is: Error where it does not have all
/// inputs and `has_seed`, that they were made by a seed, is not said.
void feed_by_dump(const verify::TensorReader& inputs, const std::string& spec, bool has_seed,
                  verify::FillOptions& fill);

/// Opens any other candidate. Throws Error where the spec is none, or names what is not there.
library::OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags);

/// Throws Error, saying what is wanted of it, where it does not compute: a dump has the numbers of one run, which
/// cannot be repeated, or made for other inputs.
void require_computes(const ir::Executor& candidate, const std::string& spec, const std::string& wanted);

/// The files that a candidate's flags name and that are read, which no output may replace.
std::vector<std::filesystem::path> files_read(const CandidateFlags& flags);

/// Those flags as a shell takes them again; "" where all are as without any.
std::string repeated(const CandidateFlags& flags);

}  // namespace plumb::parity::cli::flags
