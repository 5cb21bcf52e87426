#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "parity/core/lanes.hpp"

namespace plumb::parity::compare::elements {

/// How many sums are added side by side.
inline constexpr std::size_t chains_at_once = 16;
using SideBySide = std::array<double, chains_at_once>;

/// The error of one rounded addition (sums::Additions has the model).
struct ChainRules {
  double unit = 0;          ///< unit roundoff
  double least = 0;         ///< least bound of a rounding: half the spacing of subnormal numbers
  double flushed = 0;       ///< sums below this may vanish; 0: none do
  bool are_numbers = true;  ///< terms are numbers of the accumulator's type
};

/// Sums of as many terms, and the errors of their additions: Σ of squares, and Σ of numbers that may vanish.
struct Chains {
  SideBySide sums = {}, variances = {}, vanished = {};
};

/// Products of one factor with sixteen: of term k of sum l, row[k] and columns[k * chains_at_once + l].
struct ProductsSideBySide {
  std::span<const double> row, columns;
};

/// The products, term by term; `squares`: Σ of their squares; `smallest`: the smallest of its factors and products
/// that is not 0.
void multiply_chains(const ProductsSideBySide& of, double* products, SideBySide& squares, SideBySide& smallest);

/// Adds term after term, each `step` behind the last; that of sum l is terms[k * step * chains_at_once + l]. Sums begin
/// anew, what they may be off is added to.
void add_chains(const ChainRules& rules, const double* terms, std::size_t step, std::size_t count, Chains& chains);

/// Adds what products may be off that are rounded.
void add_roundings_of_products(const ChainRules& rules, const double* terms, std::size_t count, Chains& chains);

// The arithmetic of one rounding, of one number or of several in lanes.

[[gnu::always_inline]] inline void set_size(double& size, const double& of) { size = std::fabs(of); }
[[gnu::always_inline]] inline void set_size(core::f64x8& size, const core::f64x8& of) { core::set_magnitude(size, of); }

/// Notes that `sum` was rounded, by `most` at most. Sums of numbers are multiples of the spacing of subnormals, and
/// small ones are numbers themselves.
template <class Number>
[[gnu::always_inline]] inline void note_rounding(const ChainRules& rules, const Number& sum, const Number& most,
                                                 bool is_of_numbers, Number& variance, Number& vanished) {
  const Number none = {}, least = none + rules.least;
  Number size;
  set_size(size, sum);
  Number off = rules.unit * size;
  const auto is_number = off <= least;
  off = most < off ? most : off;
  off = off < least ? least : off;
  Number square = off * off;
  if (is_of_numbers) square = is_number ? none : square;
  variance += square;
  if (!(rules.flushed > 0)) return;
  const Number gone = size < rules.flushed ? none + rules.flushed : none;
  vanished += sum != 0 ? gone : none;
}

/// Adds an item to a sum, which rounds it.
template <class Number>
[[gnu::always_inline]] inline void join(const ChainRules& rules, Number& so_far, const Number& item, bool is_number,
                                        Number& variance, Number& vanished) {
  Number most, size;
  set_size(most, item);
  set_size(size, so_far);
  if (is_number) most = most < size ? most : size;
  so_far += item;
  note_rounding(rules, so_far, most, is_number, variance, vanished);
}

}  // namespace plumb::parity::compare::elements
