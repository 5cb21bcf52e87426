// A loop by the steady clock.
#include "parity/studies/bench/timed_runs.hpp"

#include <chrono>

namespace plumb::parity::studies::bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

double ms_of(const std::function<void()>& call) {
  const auto start = Clock::now();
  call();
  return ms_since(start);
}

TimedRuns timed_runs(const std::function<void()>& run, const Effort& effort,
                     const std::function<void(std::size_t)>& after) {
  constexpr std::uint64_t least = 7;
  for (const auto start = Clock::now(); ms_since(start) < 1e3 * effort.warmup;) run();
  TimedRuns timed;
  const auto start = Clock::now();
  const auto is_done = [&] {
    const std::uint64_t had = timed.ms.size();
    return effort.runs ? had >= *effort.runs : had >= least && ms_since(start) >= 1e3 * effort.budget;
  };
  while (!is_done()) {
    timed.ms.push_back(ms_of(run));
    timed.wall_ms += timed.ms.back();
    if (after) after(timed.ms.size() - 1);
  }
  return timed;
}

}  // namespace plumb::parity::studies::bench
