#pragma once

#include "parity/bounds/bounded.hpp"
#include "parity/cases/settled.hpp"

/// Elements whose error, beyond what storing them takes, is more than half of the limit that a whole tensor is held to
/// at first. That limit is the mean over all orders of the terms, which data in no particular order stay far below;
/// these few are looked at one by one, term by term, as their kernel added them (verdict.md V15 to V26).
namespace plumb::parity::elements {

/// An output of a segment that is judged, and who evaluates its truth.
struct Subject {
  ir::Executor& reference;
  const core::Segment& segment;
  std::span<const ir::TensorView> inputs;  ///< what the segment was fed, in the candidate's dtypes
  std::span<const ir::Sum> sums;           ///< as the kernel published them
  const bounds::Manner& manner;
};

/// Puts exact limits in place of those of open elements of output `k`; nothing is done where no sum of the segment can
/// be walked. `bounded` is the segment's own evaluation.
cases::Settled settle(const Subject& subject, std::size_t k, bounds::Bounded& bounded, const ir::TensorView& got);

}  // namespace plumb::parity::elements
