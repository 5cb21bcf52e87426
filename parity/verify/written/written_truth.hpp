#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/verify/shared_case.hpp"

namespace plumb::parity::verify {

/// The truth of a graph in the dtypes that it was written in, evaluated node by node beside the graph that runs, which
/// ir::passes::as_dtype made of it: their values have the same numbers. To be used by one thread.
class WrittenTruth {
 public:
  /// `kept`: truths of the graph as it was, which runs of other candidates share; null where there are none.
  WrittenTruth(const cases::Written& written, const ir::Graph& runs, ir::Executor& reference,
               KeptTruths* kept = nullptr);

  /// Evaluates what node `n` of the graph that runs was made of, and what comes before it.
  void carry_to(std::size_t n);
  /// The truth of a value that was carried to and is not released; null where there is none.
  const ir::Tensor* find(ir::Value v) const;
  /// Lets go of what is needed neither by a node of the graph that runs behind `n` nor by what such a node is made of.
  void release(std::size_t n);

  /// Why there is no truth from some node on: the reference refuses it, on numbers that were not rounded; "" else.
  const std::string& problem() const { return problem_; }

 private:
  void evaluate(std::size_t m);

  const cases::Written& written_;
  ir::Executor& reference_;
  KeptTruths* const kept_;
  std::vector<std::optional<ir::Tensor>> truths_;  ///< by value of the graph as it was written
  std::vector<std::size_t> last_readers_;          ///< by value: the last of its nodes that reads it, or its own
  std::vector<std::size_t> begins_, ends_;         ///< by its nodes: the first and last node made of it
  std::size_t evaluated_ = 0, released_ = 0;       ///< nodes
  std::string problem_;
};

}  // namespace plumb::parity::verify
