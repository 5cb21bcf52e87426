#pragma once

// Words that may stand where the cursor is, for the scripts of `plumb completion`.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::cli {

/// The hidden command by which scripts ask: plumb __complete INDEX -- WORDS.
inline constexpr std::string_view complete_command = "__complete";

/// Writes the words that may stand in place of word INDEX of a command line, which is the last that is looked at, a
/// line each, with a tab and what the word means behind it; nothing where the shell should offer files. WORDS are as
/// they were typed, the program being word 0; what bash splits at =, : or @ is joined again. Ends the process with 0.
/// Throws Error where `arguments` are not of this form.
[[noreturn]] void complete(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace plumb::parity::cli
