#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/executor.hpp"
#include "parity/core/segment.hpp"
#include "parity/expected/admissible.hpp"

namespace plumb::parity::expected {

/// An operand of a node, as it may be in another implementation.
struct Wavering {
  ir::Tensor truth;                           ///< widened
  std::optional<ir::Tensor> limit = {};       ///< f64: how far elements of a float may be off; nothing: it is exact
  std::optional<Admissible> admissible = {};  ///< what others, and floats behind a choice, may be

  bool wavers() const { return limit || admissible; }
};

/// What one output of a node may be.
struct Choice {
  std::optional<Admissible> admissible = {};
  /// The ends of what elements may be that jump, or stand still, within the limits of their operands: a run that misses
  /// them by chance knows nothing of either.
  std::optional<std::pair<ir::Tensor, ir::Tensor>> extremes = {};
};

/// Whether there is a rule for an op, and whether it may decide something itself.
bool may_choose(const ir::Op& op);
bool chooses(const ir::Op& op);

/// What the outputs of a node may be where it decides something by operands that waver, or hands on what was decided:
/// one for each output. `wide` is the segment's graph, widened, `truths` its outputs. Ops without a rule here, and
/// combinations of operands that none covers, say nothing.
std::vector<Choice> choices_of(ir::Executor& reference, const ir::Graph& wide, std::span<const Wavering> operands,
                               std::span<const ir::Tensor> truths);

// ---- in picks.cpp

/// What ops may say that tell where a line has its largest elements.
bool picks(const ir::Op& op);
std::vector<Choice> picks_of(const ir::Op& op, const Wavering& x, std::span<const ir::Tensor> truths);

}  // namespace plumb::parity::expected
