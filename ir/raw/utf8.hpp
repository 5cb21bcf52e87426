#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::ir::raw {

/// A character of UTF-8 text (RFC 3629).
struct CodePoint {
  char32_t value = 0;     ///< meaningless where the bytes are no UTF-8
  std::size_t bytes = 1;  ///< that it takes; 1 where they are no UTF-8
  bool is_valid = false;
};

/// The character that begins at this byte of a text; `at` is within the text.
CodePoint code_point_at(std::string_view text, std::size_t at);

/// The characters of a text; a byte that is no UTF-8 counts as one. A terminal shows most of them one column wide.
std::size_t count_code_points(std::string_view text);

/// Whether the character is obeyed rather than shown: controls (C0, DEL, C1), separators of lines and paragraphs, and
/// the marks that change the direction of what follows (UAX #9).
bool is_control(char32_t character);

/// Whether any character of the text is a control character.
bool has_control(std::string_view text);

/// A text of a file as a message may show it: `?` for control characters and for what is no UTF-8, and no more than so
/// many bytes, behind which `cut` says that there were more.
std::string shown(std::string_view text, std::size_t most, std::string_view cut = "...");

}  // namespace plumb::ir::raw
