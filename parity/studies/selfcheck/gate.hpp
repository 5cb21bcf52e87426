#pragma once

// Whether the gate can fail: what must be refused is, and what is right passes.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/cases/executors.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/studies/selfcheck/checklist.hpp"

namespace plumb::parity::studies::selfcheck {

/// Faults that were planted in what a candidate gives of a graph.
struct Planted {
  std::size_t required = 0, caught = 0;  ///< faults that have to be seen, and those of them that were
  std::size_t families = 0;
  std::vector<std::string> unseen = {};  ///< families of which none that has to be seen was
};

/// Plants every fault of every family (power::measure), and judges by `gate` or, without one, by the bound.
Planted plant_faults(const cases::Executors& executors, const policy::Gate* gate);

/// A fault of each family is seen, and of all that have to be the share that `plumb power` asks for.
Found faults_are_seen(const cases::Executors& executors);

/// A policy by which no wrong element, or no element at a wrong place, or of an earlier run, is seen passes everything.
Found policy_can_fail(const cases::Executors& executors, const policy::Gate& gate);

/// A node that ran on the host in place of the device is not verified: `host` as a candidate that is to be a device.
Found host_is_no_device(ir::Executor& host);

/// The share of a fault of one element of the result from which on it is refused. Throws Error where it never is.
double refused_share(const cases::Executors& executors);
inline constexpr std::string_view fault_of_one_element = "element_negated";

/// A run of the program, and how it has to end.
struct Trial {
  std::string what;                ///< "a graph whose numbers are right"
  std::vector<std::string> words;  ///< the command line behind the program
  core::ExitCode wanted = core::ExitCode::passed;
  bool has_driver = true;  ///< no driver is found where it is not said to have one
};

/// Runs the program as a trial says, and returns its exit code; -1 where it did not exit by itself.
using RunProgram = std::function<int(const Trial& trial)>;

/// Every trial ends as it has to.
Found end_as_wanted(std::span<const Trial> trials, const RunProgram& run);

}  // namespace plumb::parity::studies::selfcheck
