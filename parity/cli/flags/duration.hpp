#pragma once

// Times and days on a command line.

#include <chrono>
#include <string>

#include "parity/core/duration.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

using core::duration_of;
using core::seconds_of;
using core::seconds_with_unit;

/// --today, a date such as 2026-12-31.
void add_today_flag(CLI::App& app, std::string& today);

/// The day that it names; "": this one. Throws Error for what is no date.
std::chrono::sys_days day_of(const std::string& today);

}  // namespace plumb::parity::cli::flags
