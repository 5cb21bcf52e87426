// Fourier transforms in long double, as the truth of those in f64.
#pragma once

#include <optional>
#include <vector>

#include "ir/tensor.hpp"
#include "parity/compare/telling.hpp"

namespace plumb::parity::settle::certify {

enum class TransformKind {
  forward,       ///< exponents are negative
  inverse,       ///< exponents are positive
  real_inverse,  ///< exponents are positive, and a half spectrum gives a real line
};

/// Fourier transforms of lines of `length` points: which elements the n-th line of operand and result has, what results
/// are multiplied by (1, 1/n or 1/√n, rounded), and places in a line of the result whose imaginary part is 0 exactly.
struct TransformLines {
  TransformKind kind = TransformKind::forward;
  std::int64_t length = 1;
  double scale = 1;
  compare::Line of_x = {}, of_y = {};
  std::vector<std::int64_t> real_at = {};
};

/// That transform of `x`, in long double and rounded, of the type and shape of `like`: the truth for candidates in f64,
/// since one in f64 has no more digits than they have. Nothing where that takes more than 2^24 operations. A line with
/// a number that is not finite is as in `like`.
std::optional<ir::Tensor> transformed_in_long_double(const ir::Tensor& x, const ir::Tensor& like,
                                                     const TransformLines& how);

}  // namespace plumb::parity::settle::certify
