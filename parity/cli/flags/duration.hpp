#pragma once

// Times and days on a command line.

#include <chrono>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// The seconds of "500ms", "60s", "5m", "1h" or a number of seconds. Throws Error, which names the flag, for anything
/// else, and unless they are above 0.
double seconds_of(std::string_view flag, const std::string& text);

/// Takes the same texts, but for a number without a unit; duration_of in whole milliseconds.
double seconds_with_unit(std::string_view flag, const std::string& text);
std::chrono::milliseconds duration_of(std::string_view flag, const std::string& text);

/// --today, a date such as 2026-12-31.
void add_today_flag(CLI::App& app, std::string& today);

/// The day that it names; "": this one. Throws Error for what is no date.
std::chrono::sys_days day_of(const std::string& today);

}  // namespace plumb::parity::cli::flags
