#pragma once

// The reports of `plumb bench`, and how it holds graphs that it timed to limits and to an earlier report.

#include <string>
#include <vector>

#include "parity/cli/benching/timed_graph.hpp"
#include "parity/studies/bench/spread.hpp"

namespace plumb::parity::cli::benching {

/// The report as schema/plumb-bench-1.json has it, with all times where `samples` says so.
std::string to_json(const std::vector<TimedGraph>& timed, bool samples);

/// Lines for people: the median with its interval, percentiles, rates, shares, and the 20 slowest nodes.
std::string to_text(const TimedGraph& timed);

/// A limit of a latency, as `--limit median=5ms` names it.
struct Limit {
  std::string field;
  double ms = 0;
};

/// Throws Error where the field is none of a Spread's, or the time is none.
Limit parse_limit(const std::string& text);

/// The latency of that field, in milliseconds.
double field_of(const studies::bench::Spread& spread, const std::string& field);

/// A graph's median latency, in milliseconds, in an earlier report.
struct Earlier {
  std::string graph, subject, on, device;
  double median = 0, low = 0, high = 0;
};

/// Reads a report of `plumb bench --json`. Throws Error, which names the file, where it is none.
std::vector<Earlier> read_report(const std::string& path);

/// How the median latency of a graph compares with that of an earlier report.
struct Against {
  enum class Verdict { same, faster, slower } verdict = Verdict::same;
  std::string line;  ///< for people
};

/// They differ where the intervals of both medians do not meet. Throws Error, which says what differs, where the report
/// has not the same graph on the same executor.
Against compared(const TimedGraph& timed, const std::vector<Earlier>& earlier, const std::string& path);

}  // namespace plumb::parity::cli::benching
