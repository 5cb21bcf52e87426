// Widens metadata to the number that a key stands for, and holds it to its range.
#include "ir/formats/gguf/architectures/keys.hpp"

#include <cmath>

namespace plumb::ir::formats::gguf::architectures {

std::string Keys::place(std::string_view key, const Metadata& found) const {
  return cat("byte ", found.offset, ": metadata '", name_of(key), "' is ", found.shown(), ", wanted ");
}

bool Keys::is_in(std::string_view key, const Metadata& found, std::optional<std::int64_t> number, Within within) {
  if (number && within.low <= *number && *number <= within.high) return true;
  findings_.note(cat(place(key, found), "a whole number from ", within.low, " to ", within.high));
  return false;
}

std::int64_t Keys::whole(std::string_view key, Within within, std::optional<std::int64_t> usual) {
  const Metadata* const found = find(key);
  if (found == nullptr) {
    if (!usual) note_missing(key);
    return usual.value_or(within.low);
  }
  const auto number = found->number();
  return is_in(key, *found, number, within) ? *number : usual.value_or(within.low);
}

std::vector<std::int64_t> Keys::by_block(std::string_view key, std::int64_t blocks, Within within,
                                         std::optional<std::vector<std::int64_t>> usual) {
  const auto count = static_cast<std::size_t>(blocks);
  const std::vector<std::int64_t> otherwise = usual.value_or(std::vector<std::int64_t>(count, within.low));
  const Metadata* const found = find(key);
  if (found == nullptr) {
    if (!usual) note_missing(key);
    return otherwise;
  }
  if (!found->is_array) return std::vector<std::int64_t>(count, whole(key, within, otherwise.front()));
  const auto numbers = elements(key, *found, count, within, ", one element a block");
  return numbers.empty() ? otherwise : numbers;
}

/// Nothing where they are not that many, or one is out of range.
std::vector<std::int64_t> Keys::elements(std::string_view key, const Metadata& found, std::size_t count, Within within,
                                         const std::string& what) {
  std::vector<std::int64_t> numbers;
  if (!found.is_array || found.count != count)
    findings_.note(cat(place(key, found), "an array of ", count, what));
  else
    for (std::uint64_t k = 0; k < found.count; ++k) {
      const auto number = found.whole(k);
      if (!is_in(key, found, number, within)) return {};
      numbers.push_back(*number);
    }
  return numbers;
}

std::vector<std::int64_t> Keys::array(std::string_view key, std::size_t count, Within within) {
  const Metadata* const found = find(key);
  return found == nullptr ? std::vector<std::int64_t>() : elements(key, *found, count, within, " whole numbers");
}

std::vector<bool> Keys::pattern(std::string_view key, std::int64_t blocks, std::int64_t usual_period) {
  const auto count = static_cast<std::size_t>(blocks);
  const Metadata* const found = find(key);
  std::vector<bool> named(count, false);
  if (found == nullptr || !found->is_array) {
    const std::int64_t period = whole(key, {}, usual_period);
    for (std::size_t i = 0; i < count; ++i) named[i] = static_cast<std::int64_t>(i) % period < period - 1;
  } else if (found->type != ValueType::boolean || found->count != count) {
    findings_.note(cat(place(key, *found), "a whole number, or an array of ", blocks, " bools, one a block"));
  } else {
    for (std::size_t i = 0; i < count; ++i) named[i] = *found->truth(i);
  }
  return named;
}

double Keys::real(std::string_view key, std::optional<double> usual, bool is_0_legal) {
  const Metadata* const found = find(key);
  if (found == nullptr) {
    if (!usual) note_missing(key);
    return usual.value_or(1);
  }
  const auto number = found->is_array ? std::nullopt : found->real();
  if (number && std::isfinite(*number) && (*number > 0 || (is_0_legal && *number == 0))) return *number;
  findings_.note(place(key, *found) + "a finite float " + (is_0_legal ? "of at least 0" : "above 0"));
  return usual.value_or(1);
}

double Keys::at_least_0(std::string_view key, std::optional<double> usual) { return real(key, usual, true); }
double Keys::above_0(std::string_view key, std::optional<double> usual) { return real(key, usual, false); }

std::string Keys::text(std::string_view key, std::string_view usual) {
  const Metadata* const found = find(key);
  if (found == nullptr) return std::string(usual);
  const auto text = found->text();
  if (!text) findings_.note(place(key, *found) + "a string");
  return std::string(text.value_or(usual));
}

bool Keys::truth(std::string_view key, bool usual) {
  const Metadata* const found = find(key);
  if (found == nullptr) return usual;
  const auto truth = found->is_array ? std::nullopt : found->truth();
  if (!truth) findings_.note(place(key, *found) + "a bool");
  return truth.value_or(usual);
}

}  // namespace plumb::ir::formats::gguf::architectures
