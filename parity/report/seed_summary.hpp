#pragma once

#include <map>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// What many seeds of one graph came to, node by node.
class SeedSummary {
 public:
  void add(const cases::CaseResult& result);

  /// A line a node that was compared, in the order of the graph: the median and the largest ratio, the seed
  /// of that one, the largest error in ulps, and the verdicts. Then cases by verdict.
  std::string text() const;

 private:
  struct Node {
    std::string name, op;
    std::vector<double> ratios;
    double max_ratio = compare::not_computed, max_ulp = compare::not_computed;
    std::uint64_t worst_seed = 0;
    std::map<core::Verdict, std::size_t> verdicts;
  };

  std::map<std::pair<std::size_t, std::size_t>, Node> nodes_;  ///< by node and output
  std::map<core::Verdict, std::size_t> cases_;
  std::string name_;
};

}  // namespace plumb::parity::report
