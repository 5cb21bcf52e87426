#pragma once

#include <span>
#include <string>
#include <vector>

#include "parity/core/demands.hpp"
#include "parity/studies/conformance/conformance.hpp"

namespace plumb::parity::studies::conformance {

/// Facts for the reports in addition to the cases.
struct ConformanceContext {
  std::string suite, device;                    ///< device: its name, or why there is none
  std::string candidate = "gpu";                ///< the name of who is judged beside the CPU executor
  std::vector<core::RunFinding> findings = {};  ///< faults of the run: fewer passed than were to, or it was cut off
};

/// Cases that stand so on the CPU executor, and on the device.
struct Count {
  std::size_t cpu = 0, gpu = 0;
};
Count count(std::span<const ConformanceResult> results, Standing standing);

/// A line an op: how many cases, and how they stand on both executors; then totals.
std::string conformance_table(std::span<const ConformanceResult> results, const ConformanceContext& context = {});

/// The table as a page of documentation, with every case that did not pass and its reason.
std::string conformance_markdown(std::span<const ConformanceResult> results, const ConformanceContext& context);

/// For programs.
std::string conformance_json(std::span<const ConformanceResult> results, const ConformanceContext& context);

/// JUnit XML, a test suite for each executor; what is unsupported or out of scope is skipped. A finding is a test of
/// its own.
std::string conformance_junit(std::span<const ConformanceResult> results, const ConformanceContext& context = {});

}  // namespace plumb::parity::studies::conformance
