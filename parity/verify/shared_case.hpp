#pragma once

// Keeps a case and its truths while several candidates are judged on it.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "parity/cases/case.hpp"

namespace plumb::parity::checks::relations {
struct Bucket;
}

namespace plumb::parity::verify {

/// The truth of the values of a graph, from its inputs on, for whoever judges another run of the same case. To be used
/// by one thread at a time.
class KeptTruths {
 public:
  /// At most so many bytes are kept: the truth of what has no room is computed again.
  explicit KeptTruths(double most_bytes) : room_(most_bytes) {}

  /// The truth of a value; null where it is not kept.
  const ir::Tensor* find(ir::Value v) const;
  /// The truths of a node's outputs; nothing where not all of them are kept.
  std::optional<std::vector<ir::Tensor>> of(const ir::Node& node) const;
  void keep(ir::Value v, const ir::Tensor& truth);

 private:
  double room_;
  std::map<ir::Value, ir::Tensor> truths_;
};

/// The truths of a case: of the graph that runs and, where that runs in another dtype, of the graph as it was.
struct CaseTruths {
  KeptTruths run, written;
};

/// A case and what is found out about it once, whoever is judged. Nothing of it is in any candidate's reach but what a
/// candidate is fed.
struct SharedCase {
  std::optional<cases::Case> subject = {};
  std::shared_ptr<const checks::relations::Bucket> bucket = {};  ///< the case at larger extents, where that is asked
  std::shared_ptr<CaseTruths> truths = {};
};

/// Truths that take at most what this budget leaves beside a verification of the case.
std::shared_ptr<CaseTruths> truths_for(const cases::Case& subject, double memory_budget);

}  // namespace plumb::parity::verify
