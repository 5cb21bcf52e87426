#pragma once

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// The places of the first `count` elements of a line along one axis of operand 0 through `at`, in their order:
/// ascending with NaN last, or descending with NaN first; of equals the lower place first (ops.md 1.5).
std::vector<std::int64_t> first_in_order(const Call& call, const Position& at, std::size_t axis, bool descending,
                                         std::int64_t count);

}  // namespace plumb::parity::element
