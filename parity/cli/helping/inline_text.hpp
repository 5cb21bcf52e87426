#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::cli {

/// A line of Markdown as text: without marks of emphasis, and links as their words with, where these do not say it, the
/// file or address that they lead to. What is between backticks stays as it is, backticks and all.
std::string inline_text(std::string_view markdown);

}  // namespace plumb::parity::cli
