#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/executor.hpp"
#include "parity/bounds/runs/admissible.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::bounds::runs {

/// An operand of a node, as it may be in another implementation.
struct Wavering {
  ir::Tensor truth;                           ///< widened
  std::optional<ir::Tensor> limit = {};       ///< f64: how far elements of a float may be off; nothing: it is exact
  std::optional<Admissible> admissible = {};  ///< the values of others, and of floats behind a choice

  bool wavers() const { return limit || admissible; }
  /// The least and the most that it may be.
  std::pair<ir::Tensor, ir::Tensor> ends() const;
};

/// The values that one output of a node may have.
struct Choice {
  std::optional<Admissible> admissible = {};
  /// The ends of values that jump, or stand still, within the limits of their operands: a run that misses these by
  /// chance shows neither.
  std::optional<std::pair<ir::Tensor, ir::Tensor>> extremes = {};
};

/// Whether there is a rule for an op, and whether it may decide something itself.
bool may_choose(const ir::Op& op);
bool chooses(const ir::Op& op);

/// The values that the outputs of a node may have where it decides something by operands that waver, or hands on a
/// decision: one for each output. `wide` is the segment's graph, widened, `truths` its outputs. Ops without a rule
/// here, and combinations of operands that none covers, say nothing.
std::vector<Choice> choices_of(ir::Executor& reference, const ir::Graph& wide, std::span<const Wavering> operands,
                               std::span<const ir::Tensor> truths);

// ---- in picks.cpp

/// Whether an op tells where a line has its largest elements, and the choices of its outputs.
bool picks(const ir::Op& op);
std::vector<Choice> picks_of(const ir::Op& op, const Wavering& x, std::span<const ir::Tensor> truths);

// ---- in gates.cpp

/// Whether an op routes tokens to experts or draws them, and the choices of its outputs: also where no operand wavers,
/// since sums of two scores and weights of draws are off by roundings of `unit`.
bool gates(const ir::Op& op);
std::vector<Choice> gates_of(const ir::Op& op, std::span<const Wavering> operands, std::span<const ir::Tensor> truths,
                             double unit);

// ---- in draws.cpp

/// The tokens that an op which draws them may draw.
Choice tokens_of(const ir::Op& of, std::span<const Wavering> operands, const ir::Tensor& truth, double unit);

// ---- in codes.cpp

/// Whether an op makes codes of quotients, and the choices of its outputs: also where no operand wavers, since the
/// quotient may be off by 3 `unit` of itself where it is no number of the type.
bool quantizes(const ir::Op& op);
std::vector<Choice> codes_of(ir::Executor& reference, const ir::Op& op, std::span<const Wavering> operands,
                             std::span<const ir::Tensor> truths, double unit);

}  // namespace plumb::parity::bounds::runs
