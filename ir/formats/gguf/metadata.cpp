// Numbers and texts out of the bytes of metadata, wherever these lie: values have no alignment in a file.
#include <cstring>

#include "ir/attribute.hpp"
#include "ir/formats/gguf/gguf.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf {
namespace {

template <class T>
T value_at(std::span<const std::byte> bytes, std::uint64_t k) {
  T value;
  std::memcpy(&value, bytes.data() + k * sizeof(T), sizeof(T));
  return value;
}

/// A value of fixed size as a person reads it.
std::string shown_number(const Metadata& value, std::uint64_t k) {
  if (const auto whole = value.whole(k)) return cat(*whole);
  if (const auto real = value.real(k)) return cat(*real);
  if (const auto truth = value.truth(k)) return *truth ? "true" : "false";
  return cat(value_at<std::uint64_t>(value.bytes, k));  // beyond i64
}

std::string_view first_text(std::span<const std::byte> bytes) {
  const auto length = value_at<std::uint64_t>(bytes, 0);
  return {reinterpret_cast<const char*>(bytes.data() + sizeof(length)), length};
}

}  // namespace

std::optional<std::int64_t> Metadata::whole(std::uint64_t k) const {
  switch (type) {
    case ValueType::u8:
      return value_at<std::uint8_t>(bytes, k);
    case ValueType::i8:
      return value_at<std::int8_t>(bytes, k);
    case ValueType::u16:
      return value_at<std::uint16_t>(bytes, k);
    case ValueType::i16:
      return value_at<std::int16_t>(bytes, k);
    case ValueType::u32:
      return value_at<std::uint32_t>(bytes, k);
    case ValueType::i32:
      return value_at<std::int32_t>(bytes, k);
    case ValueType::i64:
      return value_at<std::int64_t>(bytes, k);
    case ValueType::u64: {
      const auto large = value_at<std::uint64_t>(bytes, k);
      return large < std::uint64_t{1} << 63 ? std::optional(static_cast<std::int64_t>(large)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> Metadata::real(std::uint64_t k) const {
  if (type == ValueType::f32) return value_at<float>(bytes, k);
  if (type == ValueType::f64) return value_at<double>(bytes, k);
  return std::nullopt;
}

std::optional<bool> Metadata::truth(std::uint64_t k) const {
  if (type != ValueType::boolean) return std::nullopt;
  return bytes[k] != std::byte{0};
}

std::optional<std::string_view> Metadata::text() const {
  if (type != ValueType::string || is_array) return std::nullopt;
  return first_text(bytes);
}

std::string Metadata::shown() const {
  constexpr std::uint64_t most_numbers = 6;
  constexpr std::size_t longest_text = 60;
  const std::string name(enum_name(type));
  if (!is_array) return name + ' ' + (text() ? raw::shown(*text(), longest_text) : shown_number(*this, 0));
  std::string line = cat('[', name, " x ", count, ']');
  auto rest = bytes;
  for (std::uint64_t k = 0; k < count && k < most_numbers; ++k) {
    line += k == 0 ? " " : ", ";
    if (type != ValueType::string) {
      line += shown_number(*this, k);
      continue;
    }
    const std::string_view word = first_text(rest);
    line += raw::shown(word, longest_text / most_numbers);
    rest = rest.subspan(sizeof(std::uint64_t) + word.size());
  }
  return line + (count > most_numbers ? ", ..." : "");
}

}  // namespace plumb::ir::formats::gguf
