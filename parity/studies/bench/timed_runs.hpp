#pragma once

// The loop that times something, one run after the other.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plumb::parity::studies::bench {

/// How long is measured, by the host's clock, in seconds.
struct Effort {
  std::optional<std::uint64_t> runs = {};  ///< so many, whatever they take
  double budget = 3;                       ///< else until so long has passed, and seven runs at least
  double warmup = 0.4;                     ///< untimed, before: an idle device takes that long to reach its clock rate
};

/// Calls `run`, and `after` behind each, untimed, with the number of the run. Returns the milliseconds of every run.
std::vector<double> timed_runs(const std::function<void()>& run, const Effort& effort,
                               const std::function<void(std::size_t)>& after = {});

/// Milliseconds of one call.
double ms_of(const std::function<void()>& call);

}  // namespace plumb::parity::studies::bench
