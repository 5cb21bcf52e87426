#pragma once

#include <optional>

#include "parity/bounds/transform_errors.hpp"
#include "parity/judges/question.hpp"
#include "parity/settle/certify/long_transform.hpp"

/// Outputs whose errors are spread over a line, as those of a transform are: a line is held to the 2-norm of its errors
/// (verdict.md V67).
namespace plumb::parity::judges {

/// Error limits of the lines of an output. `line` says which elements a line has.
struct LineLimits {
  compare::Line line = {};
  std::vector<double> norm = {};     ///< by line: the 2-norm of its errors
  std::vector<double> element = {};  ///< by line: any of its errors, which nothing but a defect exceeds; empty: none
  /// By place in a line: how often an element counts in norms, as those of a half spectrum stand for two. Empty: once.
  std::vector<double> weights = {};
  /// Allowance for numbers below the smallest normal, in the 2-norm of a line's errors and in any one of them.
  double tiny_norm = 0, tiny_element = 0;
  std::vector<bool> wild = {};           ///< lines of whose values nothing is known; empty: none is
  std::optional<ir::Tensor> truth = {};  ///< where it is known better than by the widened op
};

/// Output k by the lines of its truth.
OutputJudgement judge_lines(const Question& question, std::size_t k, const LineLimits& limits);

/// Output k of a transform of lines of `x`, each of `length` elements, scaled by `scale`: bounds::transform_factors()
/// at the norms of output and operand. A line of x with a NaN or an infinity, or so large that an algorithm may leave
/// the range of the type, is wild. `line_x`, `line_y`: which elements the n-th line of operand and output has;
/// `weights_x`, `weights_y` as in LineLimits. Where it `spreads`, a NaN or an infinity in a line leaves no element
/// finite in both parts, and one that does is wrong (ops.md 10); `real_at` are places in a line of y whose imaginary
/// part is 0 exactly.
///
/// Where the candidate computes in f64, the truth is made again in long double and rounded, if that takes no more than
/// 2^24 operations: then no limit counts twice for the truth (Question::unit), but has one roundoff more.
struct Transform {
  settle::certify::TransformKind kind = settle::certify::TransformKind::forward;
  std::int64_t length = 1;
  double scale = 1;
  compare::Line line_x = {}, line_y = {};
  std::vector<double> weights_x = {}, weights_y = {};
  bool spreads = false;
  std::vector<std::int64_t> real_at = {};
};

/// The verdict comes with how far the truth itself may be off, which the op's own definition is asked about.
OutputJudgement judge_transform(const Question& question, std::size_t k, const ir::Tensor& x, const Transform& how);

}  // namespace plumb::parity::judges
