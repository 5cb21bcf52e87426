// Reads a day as people write it.
#include "parity/cli/flags/duration.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "ir/error.hpp"
#include "parity/policy/policy.hpp"

namespace plumb::parity::cli::flags {

void add_today_flag(CLI::App& app, std::string& today) {
  app.add_option("--today", today, "judge by the rules and quarantines of the policy that hold on this day")
      ->type_name("YYYY-MM-DD");
}

std::chrono::sys_days day_of(const std::string& today) {
  if (today.empty()) return policy::today();
  int year = 0;
  unsigned month = 0, day = 0;
  char end = 0;
  const bool is_whole = std::sscanf(today.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &end) == 3;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  ir::require(is_whole && date.ok(), "--today is a date such as 2026-12-31, got '", today, "'");
  return date;
}

}  // namespace plumb::parity::cli::flags
