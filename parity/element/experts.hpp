// The expert that a row of a product has.
#pragma once

#include <optional>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// The matrix of a bank that entry `row` of an operand means, nothing for −1. Throws NoAnswer where it means none.
inline std::optional<std::int64_t> expert_of(const Call& call, std::size_t operand, std::int64_t row,
                                             std::int64_t experts) {
  const std::int64_t given = call.whole(operand, {row});
  if (given < -1 || given >= experts) throw NoAnswer{};
  return given == -1 ? std::optional<std::int64_t>() : given;
}

}  // namespace plumb::parity::element
