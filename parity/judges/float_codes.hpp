#pragma once

#include <vector>

#include "ir/kernels/linear_codes.hpp"
#include "parity/judges/question.hpp"

namespace plumb::parity::judges {

/// Codes that are the floats of few bits nearest to reals, the even one of two.
struct FloatCodes {
  std::vector<double> real = {};
  /// How far the candidate's own may be from it. Where that is 0 a tie is no choice: the code is the even one.
  std::vector<double> limit = {};
  ir::kernels::SmallFloat format = {};
  bool saturates = true;  ///< all beyond the largest becomes the largest
};

/// Output k, whose elements are such codes, each held to the midpoints between its number and its neighbours'. Zeros of
/// either sign are alike, and so are NaNs.
OutputJudgement judge_float_codes(const Question& question, std::size_t k, const FloatCodes& codes);

}  // namespace plumb::parity::judges
