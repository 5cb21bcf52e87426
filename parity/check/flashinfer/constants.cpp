// Looks for constants in a text of Python, line by line.
#include "parity/check/flashinfer/constants.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "parity/check/flashinfer/fields.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

std::string without_spaces(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return blanks.find(c) == blanks.npos; });
  return kept;
}

std::vector<double> assigned_numbers(std::string_view text, std::string_view name) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line = trimmed(line.substr(0, line.find('#')));
    if (!line.starts_with(name)) continue;
    line = trimmed(line.substr(name.size()));
    if (!line.starts_with('=')) continue;
    if (const auto number = number_of(trimmed(line.substr(1)))) numbers.push_back(*number);
  }
  return numbers;
}

const std::string* Constants::given(const std::string& name) {
  asked_.insert(name);
  const auto found = std::ranges::find(given_, name, &Words::value_type::first);
  return found == given_.end() ? nullptr : &found->second;
}

double Constants::number(const std::vector<std::string>& names) {
  std::vector<double> found;
  for (const std::string& name : names) {
    if (const std::string* const text = given(name)) {
      const auto number = number_of(*text);
      ir::require(number.has_value(), "--attr ", name, ": is a number, got ", in_quotes(*text));
      return *number;
    }
    for (const double number : assigned_numbers(definition_.reference, name)) found.push_back(number);
  }
  if (found.size() == 1) return found.front();
  throw ir::Unsupported(ir::cat(definition_.name, ": its reference has ",
                                found.empty() ? "no line" : std::to_string(found.size()) + " lines", " ", names.front(),
                                " = NUMBER; say which it is: --attr ", names.front(), "=1e-6"));
}

std::optional<bool> Constants::truth(const std::string& name) {
  const std::string* const text = given(name);
  if (text == nullptr) return std::nullopt;
  ir::require(*text == "true" || *text == "false", "--attr ", name, ": is true or false, got ", in_quotes(*text));
  return *text == "true";
}

void Constants::require_all_asked() const {
  const std::vector<std::string> names(asked_.begin(), asked_.end());
  for (const auto& [name, value] : given_)
    ir::require(asked_.contains(name), "--attr: ", definition_.op_type, " has no constant ", in_quotes(name),
                names.empty() ? "; it has none" : core::did_you_mean(name, names));
}

}  // namespace plumb::parity::check::flashinfer
