#pragma once

#include <string>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// How many bits lie between the largest truth of an output and the largest number of f16, 65504: negative beyond it,
/// -inf of f16 values that overflow; NaN of zeros, of what is no real number and of what was not compared.
double headroom_of_f16(const cases::NodeResult& node);

/// "1.4", "none" of what overflows, "-" where it is not known.
std::string headroom_cell(const cases::NodeResult& node);

/// A line, "least headroom of f16: 1.4 bits, at 'scores'"; "" where no output has any.
std::string headroom_text(const cases::CaseResult& result);

}  // namespace plumb::parity::report
