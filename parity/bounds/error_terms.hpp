#pragma once

#include <optional>

#include "parity/bounds/error_model.hpp"
#include "parity/bounds/function_limits.hpp"
#include "parity/sums/element_limit.hpp"

/// Terms that error models share.
namespace plumb::parity::bounds {

// ---- sums and products of terms (ops.md D.3)

/// The terms p_k that an element sums.
struct Terms {
  std::int64_t count = 0;
  Real sum, magnitude, squares;  ///< Σp, Σ|p|, Σp²
  bool exact = false;            ///< each term is exact in the accumulator
};

/// The error of a sum, before it is rounded to where it is stored.
Bound dot(const Node& node, const Terms& terms);

/// Factors of the errors of a sum: `random` of √(of_square y² + of_spread (Σp² − y²/K)₊ + of_terms Σp²), the mean over
/// all orders of the terms (verdict.md V14), `certain` of Σ|p|, and `stored`, which storing it adds, of |y|.
struct DotFactors {
  double random = 0, certain = 0, stored = 0;
  double of_square = 0, of_spread = 0, of_terms = 0;
};
DotFactors dot_factors(const Node& node, std::int64_t count, bool exact_products);

/// The error of a sum S inside of an op is in proportion to these, in units of the roundoff u of what is computed in.
/// Chance has λσ of it, with σ² = of_square S² + of_squares Σp².
struct SumSpread {
  double of_square = 0, of_squares = 0;
  double of_size = 0;   ///< times |S|: what a compensated sum rounds once in the end
  double certain = 0;   ///< times Σ|p|
  bool is_cut = false;  ///< errors of this and of other such sums may all have one sign
};
SumSpread spread_of(const Node& node, std::int64_t count, bool exact_products);

/// How the sums of a node are made, as its elements are looked at one by one.
sums::Arithmetic sum_arithmetic(const Node& node, bool exact_products);

/// Terms of an op that is linear in each operand: the op on magnitudes and on squares.
Terms product_terms(const Node& node, std::int64_t count);

/// An op with attributes of which some are factors of terms: `sized` has their magnitudes,
/// `squared` their squares.
Terms product_terms(const Node& node, std::int64_t count, const ir::Op& sized, const ir::Op& squared);

/// u |y| (relative + slope · growth) of a function of `x` whose limit grows with it (function_limits.hpp).
Bound growing(const Node& node, const UnaryLimit& limit, Real x, double relative);

/// Relative error of a sum of `count` terms of one sign.
Bound positive_sum_error(const Node& node, std::int64_t count);

/// |x| where a device that flushes what is below `flushed` may take x for 0 (verdict.md V35), else 0.
Real may_vanish(Real x, double flushed);

/// Whether products of two numbers of the operands' dtype, or of one and a packed weight, are exact in the type that is
/// computed in.
bool has_exact_products(const Node& node);

// ---- scatter

/// The model of an op that moves, adds or multiplies updates (operand `updates`) to targets: by how many hit each.
/// `adding` is the op itself, adding.
Model scatter_model(const ir::Op& op, std::size_t updates, const ir::Op& adding);

// ---- errors of operands

/// Through an op that moves or selects: where the element went.
Real moved(const Node& node, const Errors& errors);

/// Through an op with operands a, b, ... that is linear in each, the others held.
Real through_products(const Node& node, const Errors& errors);

/// Through a function of single elements: the larger change when all operands move to either side.
Real by_difference(const Node& node, const Errors& errors);

}  // namespace plumb::parity::bounds
