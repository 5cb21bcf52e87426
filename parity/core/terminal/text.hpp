#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::parity::core::terminal {

/// The text as it may be shown, in a terminal or in XML: what is no UTF-8 and what would be obeyed rather than shown
/// (ir::raw::is_control, but for line feeds and tabs) becomes U+FFFD.
std::string printable(std::string_view text);

/// At most `width` columns: the start and the end of the text, with ".." between them where it is longer.
std::string cut_in_the_middle(std::string_view text, std::size_t width);

/// Lines of at most `width` columns, broken at spaces; those after the first begin with `indent`. Words that are
/// longer stay whole. Ends of lines that the text has are kept.
std::string folded(std::string_view text, std::size_t width, std::string_view indent = "");

/// Lines folded to `width` columns; what goes on in another line begins at `column` or, where that leaves too little
/// room, four columns deeper than its line does.
std::string fitted(std::string_view lines, std::size_t width, std::size_t column = 0);

}  // namespace plumb::parity::core::terminal
