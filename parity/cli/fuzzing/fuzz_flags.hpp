#pragma once

// The flags of fuzz, and the cases that they choose.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "parity/cli/flags/candidate_flags.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/studies/fuzz/generator.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli {

struct FuzzFlags {
  studies::fuzz::GeneratorOptions cases;
  std::uint64_t first = 0, count = 200;
  bool single = false, graphs = false, hostile = false, force = false;
  std::vector<std::string> ops, replay, merge, plants;
  std::string budget, timeout = "60s", corpus, keep, write;
  double until_coverage = 0;
  flags::CandidateFlags candidate;
  flags::DeviceFlags device;

  /// Nothing where there is none.
  std::optional<std::chrono::milliseconds> time() const;
  /// How long a case may take.
  std::chrono::milliseconds case_time() const;
};

void add_fuzz_flags(CLI::App& app, FuzzFlags& flags);

/// Throws Error for flags that do not go together, and for globs that no op's name matches.
void require_sense(const FuzzFlags& flags);

/// The case of this number, if --single, --graphs and --op choose it.
std::optional<studies::fuzz::DrawnCase> chosen_case(const FuzzFlags& flags, std::uint64_t number);

}  // namespace plumb::parity::cli
