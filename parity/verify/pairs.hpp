#pragma once

// Compares with one another what several candidates gave for the same case.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "parity/cases/observer.hpp"
#include "parity/cases/pair_result.hpp"

namespace plumb::parity::verify {

/// Keeps the results of a graph as a candidate gave them in the run that is judged node by node.
class KeptResults final : public cases::Observer {
 public:
  struct Kept {
    ir::Tensor got;
    double error = 0;  ///< root mean square of what it is off, against the truth of the graph; NaN where unknown
  };

  void begins(const cases::Case& subject) override;
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override;

  /// By the name of the result; those that were not compared are missing.
  const std::map<std::string, Kept>& results() const { return results_; }

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::string> names_;  ///< each result's, by node and output
  std::map<std::string, Kept> results_;
};

/// A candidate's name, and what it gave.
struct NamedResults {
  std::string name;
  const KeptResults* kept;
};

/// Every two of these candidates, in their order, by each result that both have.
std::vector<cases::PairResult> pairs_of(const cases::CaseResult& one, std::span<const NamedResults> candidates);

}  // namespace plumb::parity::verify
