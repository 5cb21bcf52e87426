#pragma once

#include "parity/judges/question.hpp"

/// Loops whose body is a graph (verdict.md V71).
namespace plumb::parity::judges {

/// A loop over carried values: `condition` makes a bool of them, `body` the next ones; the inputs of both are the
/// carried values, in order. At most `most` iterations.
struct Loop {
  ir::Graph condition, body;
  std::int64_t most = 0;
};

/// The carried values before the first iteration and after each, as an executor kept them.
using Trace = std::vector<std::vector<ir::Tensor>>;

/// Outputs that are the carried values after the last iteration and, last, how many iterations there were. The operands
/// are the carried values before the first.
///
/// The number of iterations is a decision: the condition must hold before each and not after the last, where the real
/// numbers that it compares decide by more than their limits. With a trace every iteration is judged on the carried
/// values that the candidate went on from; an element's ratio is the largest of all iterations. Without one the
/// candidate's iterations are unrolled, up to 2⁸ of them, and judged by sign runs; of more than that nothing is known:
/// they are apart, untraced.
///
/// Throws NoModel for a condition that compares real numbers anywhere but in its last op.
Judgement judge_loop(const Question& question, const Loop& loop, const Trace* trace);

}  // namespace plumb::parity::judges
