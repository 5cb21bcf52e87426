#pragma once

#include <map>

#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {

/// A node that an executor fused into the one that a site is of: a site of its own, on operands that nobody kept. They
/// are the truth rounded to their dtypes, and so is what it gave. Only faults of the computation have a place there.
class Inner {
 public:
  /// `node`: of the outer segment's graph, not the last. `outer` must outlive it. Throws Error as the reference does.
  Inner(const Site& outer, std::size_t node);

  const Site& site() const { return site_; }

  /// The outer site's output when this node gives other numbers.
  Numbers carried_out(const Numbers& faulty) const;

 private:
  const Site& outer_;
  const ir::Value value_;
  const core::Segment segment_, rest_;  ///< this node; all behind it
  const Numbers truth_;                 ///< this node's output, unrounded
  Site site_;
};

/// The nodes of a site's segment before the last, if their first output is not complex.
std::vector<std::size_t> inner_nodes(const Site& site);

}  // namespace plumb::parity::power::faults
