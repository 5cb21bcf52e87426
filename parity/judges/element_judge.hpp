#pragma once

#include <optional>

#include "parity/cases/node_result.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::judges {

/// Compares results of output `k` with its truth, element by element, and looks at single elements where that leaves
/// something open: the judge of every op that has no other.
class ElementJudge {
 public:
  /// `bounded` is the segment's own evaluation, of whose truth elements are made more exact. All that is referred to
  /// must outlive the judge.
  ElementJudge(const settle::Subject& subject, std::size_t k, bounds::Bounded& bounded)
      : subject_(subject), k_(k), bounded_(bounded) {}

  /// Sets what `measured` says of an output: allowed, with the limits of the elements that were looked at, local,
  /// certificate, settled. Any number of results can be compared, each by the limits of the whole tensor at first.
  void compare(const ir::Tensor& got, cases::Measured& measured);

  /// The limits of the whole tensor, before any element is looked at.
  const compare::Allowed& whole() const { return bounded_.allowed.at(k_); }

 private:
  const settle::Subject& subject_;
  const std::size_t k_;
  bounds::Bounded& bounded_;
  std::optional<ir::Tensor> native_;  ///< output of the reference in the candidate's own dtypes; empty until asked for
};

}  // namespace plumb::parity::judges
