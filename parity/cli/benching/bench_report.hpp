#pragma once

// What `plumb bench` says of graphs that it timed, and how it holds them to limits and to an earlier report.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "parity/cli/benching/timed_graph.hpp"
#include "parity/studies/bench/spread.hpp"

namespace plumb::parity::cli::benching {

/// The report of one graph, an entry of `timed` in schema/plumb-bench-1.json; with all times where `samples` says so.
nlohmann::ordered_json to_json(const TimedGraph& timed, bool samples);

/// The whole report.
nlohmann::ordered_json report(const std::vector<TimedGraph>& timed, bool samples);

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

/// How the median latency of a graph compares with that of an earlier report of `plumb bench`.
struct Against {
  enum class Verdict { same, faster, slower } verdict = Verdict::same;
  std::string line;  ///< for people
};

/// Reads such a report. Throws Error, which names the file, where it is none.
nlohmann::json read_report(const std::string& path);

/// They differ where the intervals of both medians do not meet. Throws Error, which says what differs, where the report
/// has not the same graph on the same executor.
Against compared(const TimedGraph& timed, const nlohmann::json& earlier, const std::string& path);

}  // namespace plumb::parity::cli::benching
