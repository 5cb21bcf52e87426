#pragma once

#include <filesystem>
#include <string>

#include "parity/cli/verifying/verify_candidate.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {

/// The file of the profile of whoever is judged (--profile auto). It is kept in the cache folder under a hash of all
/// that it depends on: how a candidate describes itself, its library or program and the variables that it names; of
/// what is ours the device, its driver and the version of plumb. Where there is none yet, experiments make it, and a
/// line on stderr says so. Throws Error where nothing can be probed, or there is no cache folder.
std::filesystem::path kept_profile(VerifyCandidate& candidate, const std::string& spec,
                                   ref_cpu::CpuExecutor& reference);

}  // namespace plumb::parity::cli
