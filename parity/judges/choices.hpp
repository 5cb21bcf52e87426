#pragma once

#include <string>

#include "parity/judges/conditioning.hpp"
#include "parity/judges/question.hpp"

/// Outputs that are choices: codes of reals, places of the largest (verdict.md V70).
namespace plumb::parity::judges {

/// Codes that are reals rounded to nearest, ties to even, plus a zero point, cut off at both ends. By element, or one
/// number for all.
struct Codes {
  std::vector<double> real = {};  ///< before it is rounded; of a NaN the code is the zero point
  /// How far the candidate's own may be from it. Where that is 0 a tie is no choice: the code is the even one.
  std::vector<double> limit = {};
  std::vector<double> zero = {0};
  double least = 0, most = 0;
  std::string what = "code";
};

/// How far x over a scale may be off in this dtype, divided or multiplied by the scale's reciprocal: 3u of it
/// (verdict.md V70). Nothing of a scale that is a power of 2, by which either is exact.
double limit_of_quotient(double x, double scale, ir::DType computed);

/// Output k, whose elements are such codes. The truth of a code that some real within the limit decides is that code.
OutputJudgement judge_codes(const Question& question, std::size_t k, const Codes& codes);

/// The places of the `chosen` largest of `candidates` values in each row, the largest first, of equals the one that
/// comes first.
struct Selection {
  std::size_t candidates = 0, chosen = 0;
  std::vector<double> value = {}, limit = {};  ///< by row and candidate: its truth, and how far it may be off
  std::string what = "place";
};

/// Output k, whose rows are such places: distinct ones, each of a value that is within both limits of the one that the
/// truth has there. What is made of a place that is none is judged as if it were the truth's.
OutputJudgement judge_selection(const Question& question, std::size_t k, const Selection& selection);

}  // namespace plumb::parity::judges
