// Characters of UTF-8 text, and those that are obeyed rather than shown.
#include "ir/raw/utf8.hpp"

#include <array>

namespace plumb::ir::raw {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

/// How many bytes a character has that begins with this one; 0 where none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // a byte in the middle, or a longer form of ASCII
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  // The least character of each length: fewer bytes would have done for what is below.
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = byte_at(text, at);
  const std::size_t length = length_of(first);
  if (length == 0 || length > text.size() - at) return {};
  char32_t value = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    const unsigned char next = byte_at(text, at + k);
    if ((next & 0xC0u) != 0x80) return {};
    value = value << 6 | (next & 0x3Fu);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least[length] || value > 0x10FFFF || is_surrogate) return {};
  return {.value = value, .bytes = length, .is_valid = true};
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += code_point_at(text, at).bytes) ++count;
  return count;
}

bool is_control(char32_t character) {
  const auto within = [&](char32_t first, char32_t last) { return character >= first && character <= last; };
  return within(0, 0x1F) || within(0x7F, 0x9F) || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

bool has_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = code_point_at(text, at);
    if (one.is_valid && is_control(one.value)) return true;
    at += one.bytes;
  }
  return false;
}

std::string shown(std::string_view text, std::size_t most, std::string_view cut) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = code_point_at(text, at);
    if (at + one.bytes > most) return made + std::string(cut);
    if (one.is_valid && !is_control(one.value))
      made += text.substr(at, one.bytes);
    else
      made += '?';
    at += one.bytes;
  }
  return made;
}

}  // namespace plumb::ir::raw
