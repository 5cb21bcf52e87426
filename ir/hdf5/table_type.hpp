#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::ir::hdf5 {

/// The number in a column: u unsigned, i signed, f float, and its bytes.
enum class Kind { u1, u2, u4, u8, i4, f4, f8 };

constexpr auto enum_names(Kind) { return std::array<std::string_view, 7>{"u1", "u2", "u4", "u8", "i4", "f4", "f8"}; }

/// One member of a row.
struct Column {
  std::string name;
  Kind kind;
  std::size_t offset, count;         ///< count > 1 is an array
  std::vector<std::string> choices;  ///< an enum's names, in the order of their values
  std::string units;
};

/// The rows of a table: a compound type in files, a struct of that many bytes in memory.
struct TableType {
  std::vector<Column> columns;
  std::size_t row_bytes;
};

}  // namespace plumb::ir::hdf5
