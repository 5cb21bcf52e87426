// Refuses empty words, and numbers that strtoull and comparisons would take for others.
#include "parity/cli/flags/as_meant.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace plumb::parity::cli::flags {
namespace {

/// Why a text is no whole number from 0 on.
std::string problem_of_whole(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  std::strtoull(text.c_str(), &end, 0);
  if (*end != '\0') return "wanted a whole number, found " + text;
  const bool fits = text.find('-') == std::string::npos && errno != ERANGE;
  return fits ? "" : "wanted a number from 0 to 18446744073709551615, found " + text;
}

/// NaN passes every range, since no comparison with it holds.
std::string problem_of_real(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return *end != '\0' || std::isfinite(number) ? "" : "wanted a finite number, found " + text;
}

void refuse_others(CLI::Option& option) {
  // A flag has no word, and a type's name begins with what it is, whatever a range adds.
  if (option.get_items_expected_max() == 0) return;
  // A list that is named takes one word at a time, or it would take files for more of its words.
  if (!option.get_positional()) option.allow_extra_args(false);
  const std::string type = option.get_type_name();
  const auto refuse_first = [&option](std::string (*problem_of)(const std::string&)) {
    option.transform(CLI::Validator([problem_of](std::string& text) { return problem_of(text); }, ""));
  };
  if (type.starts_with("UINT")) refuse_first(problem_of_whole);
  if (type.starts_with("FLOAT")) refuse_first(problem_of_real);
  const auto is_given = [](const std::string& text) { return text.empty() ? "is given, but empty" : std::string(); };
  option.check(CLI::Validator(is_given, ""));
}

}  // namespace

void take_as_meant(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) refuse_others(*option);
  for (CLI::App* const below : app.get_subcommands([](CLI::App*) { return true; })) take_as_meant(*below);
}

}  // namespace plumb::parity::cli::flags
