#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumb::parity::compare::elements {

/// How many sums are made at once, side by side.
inline constexpr std::size_t sums_at_once = 32;

/// The rules of a unit that adds some products at once (profile::Products has the model), in numbers.
struct UnitRules {
  static constexpr std::size_t largest_block = 64;

  bool is_plain = false;      ///< chains of f32, as `fuses` says: a product is not rounded; only `flushes` and `group`
                              ///< count besides
  bool fuses = false;         ///< products are exact
  bool is_normalized = true;  ///< products are aligned by their own exponents, else by the sums of their operands'
  bool rounds_to_nearest = false, flushes = false;
  int bits = 24, extra_bits = 0;                ///< significand of the accumulator; bits kept below it by alignment
  int min_exponent = -126, max_exponent = 127;  ///< its range
  std::size_t block = 1;
  std::size_t group = 0;  ///< terms that are summed from 0; 0: none are
};

/// Terms begin, begin + step, ... below end.
struct UnitTerms {
  std::size_t begin = 0, end = 0, step = 1;
};

/// A row and the columns that it meets. Element k of column c is columns[k * sums_at_once + c]. Exponents are those of
/// numbers that are not 0, and far below any of zeros; null where products are normalized or plain.
struct UnitOperands {
  const double *row, *columns;
  const std::int64_t *row_exponents, *column_exponents;
  const float *plain_row, *plain_columns;  ///< these numbers for plain chains
};

struct UnitResults {
  std::array<float, sums_at_once> sums;
  std::array<bool, sums_at_once> overflowed;  ///< these left the range on the way, and are whatever
};

/// Sums of finite numbers, bit by bit those of profile::ProductEmulator, which makes them one by one.
void unit_sums(const UnitRules& rules, const UnitOperands& operands, const UnitTerms& terms, UnitResults& results);

/// Whether these rules are such that f64 has room for what has to be exact.
bool has_room(const UnitRules& rules);

}  // namespace plumb::parity::compare::elements
