#pragma once

#include <span>
#include <vector>

#include "ir/sums.hpp"
#include "parity/cases/pattern.hpp"
#include "parity/element/terms/terms.hpp"

namespace plumb::parity::checks::patterns {

/// The elements of an output that failed, widened.
struct Failing {
  std::span<const double> truth, came;
  ir::Shape shape;
  std::vector<std::size_t> elements;    ///< which, ascending
  std::vector<double> limits;           ///< how far each of them might have been off
  std::span<const double> before = {};  ///< the truth of the run before; empty where there was none
};

/// A pattern of terms or values is in at least three elements, and in nine of ten (verdict.md V59, V61).
inline constexpr std::size_t least_elements = 3;
inline constexpr double least_share = 0.9;

/// Terms that explain what nearly all failing elements of a sum are off by: an aligned or unaligned range that is
/// missing, or added twice, or was taken from an earlier block, or the terms of one lane (verdict.md V59). A pattern
/// needs three elements, of different rows where there are as many, and nine in ten of those looked at. `levels` are of
/// the published sum; empty where none is known.
std::vector<cases::Pattern> terms_of(const Failing& failing, const element::terms::Walker& walker,
                                     std::span<const ir::SumLevel> levels);

/// Where failing elements are more often than chance puts them (verdict.md V60).
std::vector<cases::Pattern> places_of(const Failing& failing);

/// The pattern that the values of nine in ten failing elements have (verdict.md V61).
std::vector<cases::Pattern> values_of(const Failing& failing);

}  // namespace plumb::parity::checks::patterns
