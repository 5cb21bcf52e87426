#pragma once

#include <span>
#include <string>

#include "parity/cases/relation_result.hpp"

namespace plumb::parity::report {

/// "metamorphic: 118 relations hold, 2 do not"; what does not on a line each, or every relation: "scores: permutation
/// (axis 0 of operand 0) holds, bit by bit". Behind these every result that was held to a bucket.
std::string relations_text(std::span<const cases::RelationResult> results, bool all);

}  // namespace plumb::parity::report
