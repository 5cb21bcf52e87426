#pragma once

// The findings of a comparison of two sets of tensors, for people and for programs.

#include <cstddef>
#include <string>

#include "parity/core/terminal/style.hpp"
#include "parity/studies/closeness/closeness.hpp"

namespace plumb::parity::studies::closeness {

/// The answer first: the first tensor that is beyond its limit, with its worst element. Then a table of all that are
/// not within and of at most `most_others` more, and a line that counts.
std::string to_text(const Comparison& comparison, bool strict, const core::terminal::Style& style,
                    std::size_t most_others = 20);

/// Schema plumb.compare/1.
std::string to_json(const Comparison& comparison, bool strict);

}  // namespace plumb::parity::studies::closeness
