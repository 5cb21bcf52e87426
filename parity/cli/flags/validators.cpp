// Words and numbers that flags take.
#include "parity/cli/flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli::flags {
namespace {

/// The whole text as a finite number.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T x{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(x)) return std::nullopt;
  return x;
}

/// A validator of numbers of which this holds.
template <class T, class Holds>
CLI::Validator numbers(const std::string& wanted, const std::string& in_help, Holds holds) {
  const auto look = [wanted, holds](const std::string& text) {
    const auto x = number_of<T>(text);
    return x && holds(*x) ? std::string() : fmt::format("wanted {}, found '{}'", wanted, text);
  };
  return CLI::Validator(look, in_help);
}

std::string joined(const std::vector<std::string>& words, const char* comma) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : comma) + word;
  return text;
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string in_help = "{" + joined(words, ",") + "}";
  const auto look = [words = std::move(words)](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("wanted one of {}, found '{}'{}", joined(words, ", "), text, core::did_you_mean(text, words));
  };
  return CLI::Validator(look, in_help);
}

CLI::Validator whole_from_to(std::uint64_t least, std::uint64_t most) {
  return numbers<std::uint64_t>(fmt::format("a whole number from {} to {}", least, most),
                                fmt::format("[{}..{}]", least, most),
                                [=](std::uint64_t x) { return least <= x && x <= most; });
}

CLI::Validator from_to(double least, double most) {
  return numbers<double>(fmt::format("a number from {} to {}", least, most), fmt::format("[{}..{}]", least, most),
                         [=](double x) { return least <= x && x <= most; });
}

CLI::Validator above_zero() {
  return numbers<double>("a number above 0", "above 0", [](double x) { return x > 0; });
}

CLI::Validator not_negative() {
  return numbers<double>("a number that is not below 0", "0 or more", [](double x) { return x >= 0; });
}

}  // namespace plumb::parity::cli::flags
