#pragma once

// Commands and flags as CLI11 knows them, for help, manuals and completion. Those of an empty group are hidden: they
// are nobody's to type.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::cli {

std::vector<const CLI::App*> inner_commands(const CLI::App& app);
std::vector<std::string> names_of_commands(const CLI::App& app);
/// The one of this name; null where there is none.
const CLI::App* inner_command(const CLI::App& app, std::string_view name);

/// "plumb policy lint".
std::string full_name(const CLI::App& app);

/// Flags with a name, and what is given without one, in the order of help.
std::vector<const CLI::Option*> flags_of(const CLI::App& app);
std::vector<const CLI::Option*> positionals_of(const CLI::App& app);

/// "-o", "--output".
std::vector<std::string> names_of_flag(const CLI::Option& flag);

/// Whether a word follows the flag.
bool takes_word(const CLI::Option& flag);

}  // namespace plumb::parity::cli
