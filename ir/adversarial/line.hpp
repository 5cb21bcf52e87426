// One line of a tensor: the numbers that enter one sum, in the order in which it takes them.
#pragma once

#include <span>

#include "ir/fill.hpp"

namespace plumb::ir::adversarial {

/// The random numbers of one element, or of one line, from one block of Philox.
class Draw {
 public:
  explicit Draw(std::array<std::uint32_t, 4> words) : words_(words) {}

  double normal() const;
  /// Uniform in [low, high).
  double uniform(double low, double high) const { return low + (high - low) * (words_[2] >> 8) * 0x1p-24; }
  /// Whole, in [0, count).
  std::int64_t below(std::int64_t count) const;
  bool coin() const { return (words_[3] & 1) != 0; }

 private:
  std::array<std::uint32_t, 4> words_;
};

/// The precision and range of a dtype, by which the kinds of lines are scaled.
struct Range {
  double largest;           ///< the largest finite number
  double unit;              ///< half an ulp of 1 in the dtype of its accumulators
  int digits;               ///< bits of its significand
  int tiny_low, tiny_high;  ///< exponents of subnormal and slightly larger numbers: [tiny_low, tiny_high)
  int huge_low, huge_high;  ///< exponents close to the end of the range
  double far;               ///< how far from zero a line is whose elements still differ
  int most_scale;           ///< lines times 2^-most_scale to 2^most_scale
};

/// The range of a float, or of the parts of a complex number.
Range range_of(DType dtype);

struct Line {
  std::uint64_t seed;
  std::uint32_t stream, offset;
  std::int64_t number;  ///< which line of its tensor it is
  std::int64_t terms;   ///< K of the sum that it enters, at least 1
  bool is_score;        ///< its numbers are exponents
  double share;         ///< element of a constant key that scores 1 against a query of ones; else 1
  Range range;
  std::span<double> x;  ///< to be filled

  /// The draw of element k; it does not depend on the order of calls.
  Draw element(std::size_t k) const;
  /// The draw of element k of line 0.
  Draw of_first_line(std::size_t k) const;
  /// The draw of the line as a whole, which no element has.
  Draw own() const;
};

/// Fills a line that leads with numbers of a kind.
void lead(AdversarialKind kind, Line& line);
/// Fills a line that multiplies one that leads.
void follow(AdversarialKind kind, Line& line);
/// Normal numbers.
void be_normal(Line& line);
/// Numbers near 1.
void be_near_one(Line& line);

/// Whether a kind is of scores: keys lead in it, and values follow.
bool is_of_scores(AdversarialKind kind);

}  // namespace plumb::ir::adversarial
