#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/executor.hpp"
#include "parity/compare/telling.hpp"

namespace plumb::parity::expected {

/// How another implementation is taken to have computed a graph of f32.
struct Precision {
  double unit = 0x1p-24;               ///< unit roundoff of its results
  double operands = 0;                 ///< unit roundoff of the operands of its products, where these are rounded
  std::optional<ir::DType> kept = {};  ///< what every value is kept in, where that is narrower than the graph's
  double of_variance = 1;  ///< factor of the variances: of an implementation in f64 they are 2⁻⁵⁸ of f32's
};

/// How far roundings that another implementation may have made differently move one value of a graph.
struct Spread {
  ir::Tensor truth;                ///< as the widened graph has it
  ir::Tensor variance;             ///< f64, of the truth's shape: the mean square of its changes
  std::vector<bool> flagged = {};  ///< elements of an integer or bool value that some run changed; empty: none
  compare::Line line = {};         ///< elements that share a scale
};

/// Evaluates the widened graph, and `runs` (at most 64) times more with ±σ added to every element that is not exact: σ
/// is what its own node may have rounded there, by the limits of its error model with chance taken once, and the signs
/// are drawn by node and by the true value, so that elements that are equal err alike (verdict.md V44). Values of
/// `wanted` are kept. Throws NoModel for an op that has no error model, and what the executor throws.
std::map<ir::Value, Spread> spread_of(ir::Executor& reference, const ir::Graph& graph, const ir::Feeds& feeds,
                                      std::span<const ir::Value> wanted, const Precision& precision, unsigned runs);

}  // namespace plumb::parity::expected
