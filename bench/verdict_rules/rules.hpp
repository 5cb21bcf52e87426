#pragma once

#include <span>
#include <string_view>

#include "parity/compare/compare.hpp"

namespace plumb::bench {

/// A result beside the truth.
struct Outcome {
  const parity::compare::Comparison& comparison;  ///< against the limit of plumbline
  std::span<const double> truth, got;
  ir::DType dtype;
};

/// How some harness decides that a result is right.
struct VerdictRule {
  std::string_view name, text;
  bool (*accepts)(const Outcome& outcome);
};

/// That of plumbline first, then those of others with the constants that their sources have.
std::span<const VerdictRule> verdict_rules();

}  // namespace plumb::bench
