#pragma once

#include <cstdint>
#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::settle {

/// An output with elements set apart, and how many these are.
struct OutOfRange {
  compare::Allowed allowed;
  std::uint64_t count = 0;
};

/// Sets `count` elements of an output of this shape apart.
OutOfRange set_apart(const compare::Allowed& allowed, const ir::Shape& shape, std::vector<bool> apart,
                     std::uint64_t count);

}  // namespace plumb::parity::settle
