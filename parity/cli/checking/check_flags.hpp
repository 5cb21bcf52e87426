#pragma once

// The flags of check, and the checks that they ask for.

#include <string>
#include <vector>

#include "parity/check/check.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/core/demands.hpp"
#include "parity/core/terminal/style.hpp"

namespace plumb::parity::cli {

struct CheckFlags {
  std::string op, sweep = "quick", budget = "60s", json, junit;
  std::string definition, workloads, workload, solution, trace;
  std::vector<std::string> attributes, in, dtypes, multiples, fills = {"graph"};
  std::uint64_t seed = 1, seeds = 1;
  flags::CandidateFlags candidate;
  flags::DeviceFlags device;
  core::Demands demands;
  std::vector<double> min_verified;
  core::terminal::StyleFlags style;
  bool quiet = false, verbose = false, force = false;
};

void add_check_flags(CLI::App& app, CheckFlags& flags);

/// How checks are verified: with a plain run, and as much of each as the flags demand.
verify::VerifyOptions verify_options_of(const CheckFlags& flags);

/// Opens who is judged. Throws Error where it cannot be opened, or computes nothing, and Unsupported where there is no
/// device.
flags::ChosenExecutor open_judged(const flags::CandidateFlags& candidate, const flags::DeviceFlags& device);

/// The name and the value of each --attr. Throws Error where one is not NAME=VALUE.
check::Words words_of(const CheckFlags& flags);

/// The checks that flags ask for: all types, given or drawn, by each fill and seed. They are made when they are needed,
/// since there may be millions.
struct CheckPlan {
  ir::Op op;
  check::Words attributes;
  std::vector<ir::TensorTypes> types;
  std::vector<verify::FillOptions> fills;
  std::uint64_t seed = 1, seeds = 1;

  std::uint64_t size() const { return types.size() * fills.size() * seeds; }
  /// The check of this number: seeds first, then fills, then types.
  check::Check at(std::uint64_t number) const;
};

/// Reads the op, draws shapes. Throws Error for flags that do not fit the op.
CheckPlan plan_of(const CheckFlags& flags);

}  // namespace plumb::parity::cli
