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

std::vector<double> timed_runs(const std::function<void()>& run, const Effort& effort,
                               const std::function<void(std::size_t)>& after) {
  constexpr std::uint64_t least = 7;
  for (const auto start = Clock::now(); ms_since(start) < 1e3 * effort.warmup;) run();
  std::vector<double> ms;
  const auto start = Clock::now();
  const auto is_done = [&] {
    const std::uint64_t had = ms.size();
    return effort.runs ? had >= *effort.runs : had >= least && ms_since(start) >= 1e3 * effort.budget;
  };
  while (!is_done()) {
    ms.push_back(ms_of(run));
    if (after) after(ms.size() - 1);
  }
  return ms;
}

}  // namespace plumb::parity::studies::bench
