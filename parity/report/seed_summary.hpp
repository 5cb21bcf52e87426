#pragma once

#include <map>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/report/report.hpp"

namespace plumb::parity::report {

/// The results of many seeds of one graph, node by node.
class SeedSummary {
 public:
  /// One output of one node under one seed.
  struct Output {
    std::size_t node = 0, output = 0;
    std::string name = {}, op = {};
    core::Verdict verdict = core::Verdict::skipped;
    double ratio = compare::not_computed, ulp = compare::not_computed;
  };

  void add(const cases::CaseResult& result);
  void add_case(const std::string& name, core::Verdict verdict);
  void add_output(const Output& output, std::uint64_t seed);

  /// A line a node that was compared: the median and the largest ratio, the seed of that one, the largest error in
  /// ulps, and the verdicts. Nodes that did not always pass come first, then the largest ratios, twelve of them;
  /// Detail::verdicts leaves the others out, Detail::all has every node in the order of the graph. No wider than the
  /// style says.
  std::string table(Detail detail = Detail::worst, const core::terminal::Style& style = {}) const;
  /// The table; then cases by verdict.
  std::string text(Detail detail = Detail::worst, const core::terminal::Style& style = {}) const;
  /// "3 passed 1 failed": cases by verdict.
  std::string cases() const;

 private:
  struct Node {
    std::string name, op;
    std::vector<double> ratios;
    double max_ratio = compare::not_computed, max_ulp = compare::not_computed;
    std::uint64_t worst_seed = 0;
    std::map<core::Verdict, std::size_t> verdicts;

    bool always_passed() const;
  };

  std::vector<const Node*> shown(Detail detail) const;

  std::map<std::pair<std::size_t, std::size_t>, Node> nodes_;  ///< by node and output
  std::map<core::Verdict, std::size_t> cases_;
  std::string name_;
};

}  // namespace plumb::parity::report
