#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::parity::cli {

/// Markdown of this repository's pages as text for a terminal of `width` columns: paragraphs, lists and tables are
/// folded, links say the page that they lead to, headings are underlined. Blocks of code stay as they are, however
/// wide.
std::string markdown_text(std::string_view markdown, std::size_t width);

}  // namespace plumb::parity::cli
