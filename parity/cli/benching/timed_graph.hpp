#pragma once

// One graph timed on one executor.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/studies/bench/timed_runs.hpp"

namespace plumb::parity::cli::benching {

/// A node that a device ran, by a run in which every node was timed.
struct TimedNode {
  std::string label, op, kernel, tile;
  std::vector<double> ms;
};

/// Milliseconds, a number a run.
struct TimedGraph {
  std::string graph, on, device, driver;
  std::string subject;          ///< SHA-256 of the graph as it was run, without the numbers of its sources
  bool is_software = false;     ///< the device is a program on the host
  double flops = 0, bytes = 0;  ///< work of its nodes as they are written, operands and results counted at each
  double compile = 0, first_run = 0;
  std::vector<double> latency;  ///< from the call of run to the results in hand
  /// Shares of a run that our device tells: from the first kernel's start to the last one's end, and the host's.
  std::vector<double> device_time, upload, submit, wait, download;
  std::vector<TimedNode> nodes;
  std::vector<std::string> on_host;  ///< nodes that the device leaves to the host
};

/// Times a graph as it ships: compiled for its results, then run into the same tensors again and again. The device's
/// share, and that of `nodes`, come from further runs, since timestamps cost time.
TimedGraph timed(const flags::ChosenExecutor& on, const cases::Case& loaded, const studies::bench::Effort& effort,
                 bool nodes);

}  // namespace plumb::parity::cli::benching
