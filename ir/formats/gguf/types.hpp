#pragma once

// The types of metadata and of tensors that GGUF files have (ops.md J.1).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/dtype.hpp"
#include "ir/kernels/packed/format.hpp"

namespace plumb::ir::formats::gguf {

/// The type of a metadata value; files have these numbers.
enum class ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

inline constexpr std::uint32_t value_type_count = 13;

constexpr auto enum_names(ValueType) {
  return std::array<std::string_view, value_type_count>{"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                        "bool", "string", "array", "u64", "i64", "f64"};
}

/// The bytes of a value, and the least of a string or an array: its count, with the type of elements.
constexpr std::uint64_t least_bytes(ValueType type) {
  constexpr std::array<std::uint64_t, value_type_count> table = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return table[static_cast<std::size_t>(type)];
}

/// The type of a tensor's elements.
struct ElementType {
  std::uint32_t id;  ///< in files
  std::string_view name;
  DType dtype;                ///< blocks are u8
  std::int64_t elements = 1;  ///< in a block: a row is whole blocks
  std::int64_t bytes = 0;     ///< in a block

  bool is_plain() const { return elements == 1; }
  /// The format that ops read it in; nothing of plain types, and of those that no op reads yet.
  std::optional<kernels::packed::Format> format() const;
};

/// The type with this number. Throws Error for those that no file may have.
ElementType element_type(std::uint32_t id);

}  // namespace plumb::ir::formats::gguf
