#pragma once

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// The extents of a scan whose rows of states decay by factors that are given, and where its operands are: x and dt, a,
/// b and c are the first five, d and the state behind them where there are such.
struct DecayedRows {
  std::int64_t steps, heads, rows, groups, size;
  bool factor_by_state, has_skip, has_state;
  std::int64_t every;  ///< after how many steps states are given
};

/// An element of y, of the last state or of those on the way, of which each begins with the state that was given.
Number decayed_element(const DecayedRows& scan, const Call& call);

}  // namespace plumb::parity::element
