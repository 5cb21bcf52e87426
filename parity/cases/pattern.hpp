#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plumb::parity::cases {

/// The common trait of failing elements of an output (verdict.md 13): which terms of their sums, which places, which
/// values.
enum class PatternKind {
  missing,       ///< terms k0 to k1 are not in the sums
  twice,         ///< they are in the sums two times
  stale,         ///< in place of terms k0 to k1 those `period` terms before are
  lane,          ///< every `period`-th term from `phase` on is missing
  batch,         ///< all are at index `phase` of a leading axis
  row_mod,       ///< rows (the axis before the last) at `phase` and behind it of every `period`
  column_mod,    ///< columns (the last axis), likewise
  last_rows,     ///< rows from `phase` on: the last tile
  last_columns,  ///< columns, likewise
  stuck,         ///< all are one number
  sign,          ///< the truth with the other sign
  scaled,        ///< the truth times one number
  offset,        ///< the truth plus one number
  shifted,       ///< the truth of the element `period` places before
  transposed,    ///< the truth with its last two axes exchanged
  tile,          ///< `period` rows from `phase` on of columns k0 to k1 of a grid
  checkerboard,  ///< every other tile of `period` rows and k1 columns; phase: whether the first one is not of them
  corner,        ///< `period` rows from `phase` on of columns k0 to k1, which end or begin the matrix both
  stride,        ///< elements, one behind the other whatever their row, at `phase` of every `period`
  before,        ///< the truth of the run before
};

constexpr auto enum_names(PatternKind) {
  return std::array<std::string_view, 20>{"missing", "twice",        "stale",     "lane",         "batch",
                                          "row_mod", "column_mod",   "last_rows", "last_columns", "stuck",
                                          "sign",    "scaled",       "offset",    "shifted",      "transposed",
                                          "tile",    "checkerboard", "corner",    "stride",       "before"};
}

struct Pattern {
  PatternKind kind = PatternKind::stuck;
  std::int64_t period = 0, phase = 0;  ///< as the kind says
  std::int64_t k0 = 0, k1 = 0;         ///< terms or columns, the first and the one behind the last
  double score = 0;       ///< decimal digits by which chance is excluded; of terms and values, share explained
  std::string text = {};  ///< "terms 4080 to 4095 are missing, the last 16 of 4096"
};

/// The patterns in one line, with the kernel and its tile.
std::string to_text(const std::vector<Pattern>& patterns, const std::string& kernel, const std::string& tile);

}  // namespace plumb::parity::cases
