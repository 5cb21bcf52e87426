// Opens who is judged, as the command line names it.
#include "parity/cli/flags/candidate_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "parity/cli/flags/validators.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/candidate.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli::flags {

void add_candidate_flags(CLI::App& app, CandidateFlags& flags) {
  app.add_option("--candidate", flags.candidate,
                 "who is judged: vulkan, cpu, or a backend that is not ours, as file:dump.npz or exec:COMMAND "
                 "(docs/foreign_backends.md)")
      ->capture_default_str()
      ->group("candidate");
}

bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& /*flags*/) { return candidate.candidate == "vulkan"; }

OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags) {
  ir::require(candidate.candidate == "cpu", "--candidate: nobody is called '", candidate.candidate, "'");
  return {.name = "cpu",
          .executor = std::make_unique<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = flags.threads})};
}

std::string repeated(const CandidateFlags& flags) {
  const CandidateFlags usual;
  return flags.candidate == usual.candidate ? "" : " --candidate " + core::terminal::shell_word(flags.candidate);
}

}  // namespace plumb::parity::cli::flags
