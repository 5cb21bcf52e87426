#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// Results of many cases as numbers alone, for campaigns with too many comparisons for a report of each (verdict.md
/// V54): by op, dtype, kernel, tile, fill and storage, and every alarm in full.
class Counts {
 public:
  void add(const cases::CaseResult& result);

  /// The format is `plumb.counts/1` (docs/verdict_rules.md).
  std::string to_json() const;

  /// Which kernels and tiles were judged, of which op and dtype, how often and with which verdicts, as a table.
  std::string kernels() const;

 private:
  struct Key {
    std::string op, dtype, kernel, tile, fill, storage;
    auto operator<=>(const Key&) const = default;
  };

  /// The results of the comparisons of one kind.
  struct Count {
    std::uint64_t compared = 0, alarms = 0, mistrusted = 0, out_of_range = 0;
    std::uint64_t replayed = 0, wide = 0, apart = 0;  ///< comparisons in which some elements were so
    std::uint64_t elements = 0;
    std::uint64_t replays_asked = 0, replays_equal = 0;  ///< sampled sums, and those with the bits of the record
    /// The largest error over its limit of comparisons that passed by their limits alone, without a replay or a wide
    /// limit: at least the largest (|e| - d)/σ over λ.
    double within = 0;
  };

  struct Alarm {
    Key of;
    std::string verdict, why, repro;
    double ratio = compare::not_computed;
  };

  std::map<Key, Count> counts_;
  std::vector<Alarm> alarms_;
  std::map<std::string, std::uint64_t> cases_;    ///< by verdict
  std::map<std::string, std::uint64_t> not_run_;  ///< reasons for which a graph was not compared at all
};

}  // namespace plumb::parity::report
