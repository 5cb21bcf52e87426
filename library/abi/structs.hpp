#pragma once

// Structs of the ABI, read and written as far as their size says, and tensors in a caller's memory.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "library/plumbline.h"

namespace plumb::library::abi {

inline constexpr std::uint32_t largest_struct =
    4096;  ///< no version to come has a larger one: such a size was never set

/// Throws Error, with the argument's name, unless a struct has a size.
template <class Struct>
void require_sized(const Struct* given, std::string_view argument) {
  ir::require(given != nullptr, argument, ": is NULL");
  const std::uint32_t size = given->struct_size;
  ir::require(size >= sizeof(std::uint32_t) && size <= largest_struct, argument, ": struct_size is ", size,
              ", and is to be sizeof of the struct");
}

/// The fields that the caller knows; others are 0. NULL is all of them 0.
template <class Struct>
Struct read(const Struct* given, std::string_view argument) {
  Struct made{};
  if (given == nullptr) return made;
  require_sized(given, argument);
  std::memcpy(static_cast<void*>(&made), given, std::min<std::size_t>(given->struct_size, sizeof made));
  return made;
}

/// Writes the fields that the caller knows.
template <class Struct>
void write(Struct made, Struct* to, std::string_view argument) {
  require_sized(to, argument);
  made.struct_size = to->struct_size;
  std::memcpy(static_cast<void*>(to), &made, std::min<std::size_t>(made.struct_size, sizeof made));
}

/// Element `k` of an array that steps by the size in its first element.
template <class Struct>
Struct* element(Struct* first, std::size_t k) {
  auto* const bytes = reinterpret_cast<std::conditional_t<std::is_const_v<Struct>, const char, char>*>(first);
  return reinterpret_cast<Struct*>(bytes + k * first->struct_size);
}

/// The fields of element `k` that the caller knows.
template <class Struct>
Struct read_element(const Struct* first, std::size_t k) {
  Struct made{};
  std::memcpy(static_cast<void*>(&made), element(first, k), std::min<std::size_t>(first->struct_size, sizeof made));
  return made;
}

std::int32_t number_of(ir::DType dtype);
/// Throws Error, with the argument's name, for a number that is none.
ir::DType dtype_of(std::int32_t number, std::string_view argument);

/// The text of an argument. Throws Error, with its name, where it is NULL.
std::string text_of(const char* text, std::string_view argument);
inline std::string text_or(const char* text, const char* other) { return text != nullptr ? text : other; }

/// A type as a tensor without data; the shape lives as long as `type`, the name as long as `name`.
plumb_tensor described(const ir::TensorType& type, const char* name);
/// A tensor of ours as the caller sees it.
plumb_tensor shown(const ir::Tensor& tensor, const char* name);

/// The type of a tensor. Throws Error, with the argument's name, for a dtype, rank or extent that is none.
ir::TensorType type_of(const plumb_tensor& tensor, std::string_view argument);

/// Throws so, unless a tensor of this type has data in the host's memory.
void require_data(const plumb_tensor& tensor, const ir::TensorType& type, std::string_view argument);

/// Whether its elements lie without gaps in row-major order.
bool is_row_major(const plumb_tensor& tensor, const ir::TensorType& type);

/// Throws so, for bools that are neither 0 nor 1.
void require_bools(const ir::TensorView& tensor, std::string_view argument);

/// A copy of the caller's tensor. Throws so, for missing data and for bools that are neither 0 nor 1.
ir::Tensor copy_of(const plumb_tensor& tensor, std::string_view argument);
/// Copies all tensors of an array, of the argument's name.
std::vector<ir::Tensor> copies_of(const plumb_tensor* first, std::size_t count, std::string_view argument);
/// Likewise, by their names. Throws Error where one has none, or another's.
ir::Feeds feeds_of(const plumb_tensor* first, std::size_t count, std::string_view argument);

/// Writes numbers into the caller's tensor. Throws Error, with the argument's name, unless it has this type.
void copy_into(const ir::TensorView& from, const plumb_tensor& to, std::string_view argument);

}  // namespace plumb::library::abi
