#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::core::terminal {

/// A paragraph in lines of at most 120 columns, broken at spaces; lines after the first begin with `indent`.
/// A code span between backticks stays whole. Ends with a newline.
std::string wrapped(std::string_view paragraph, std::string_view indent = "");

}  // namespace plumb::parity::core::terminal
