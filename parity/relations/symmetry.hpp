#pragma once

#include <optional>
#include <vector>

#include "ir/op.hpp"

/// What must hold of an op's results whatever the right ones are (numerics.md 2.12). parity/relations/ops has one file
/// for every op that declares something.
namespace plumb::parity::relations {

/// An axis whose positions may come in any order.
struct AxisSymmetry {
  std::optional<std::size_t> out = {};  ///< the first result's axis; none where the positions are summed over
  /// By operand, its axis; none for an operand that all positions share.
  std::vector<std::optional<std::size_t>> in = {};
  bool independent = true;  ///< a position knows nothing of the others, so that any of them may be left out
};

/// Operands which, all multiplied by c > 0, multiply the result by c.
struct Homogeneity {
  std::vector<std::size_t> operands = {};
  bool linear = false;  ///< and the result for sums of operands is the sum of results
};

/// The op that takes the first two operands in the other order and gives the same, or its transpose.
struct Exchange {
  ir::Op op;
  bool transposes = false;
};

struct Symmetries {
  std::vector<AxisSymmetry> axes = {};
  std::vector<Homogeneity> homogeneous = {};
  std::optional<Exchange> exchange = {};
  /// Kernels sum products in tiles, whose edges may add in another order than their middles.
  bool tiled = false;
};

/// What is declared of an op on operands of these types.
Symmetries symmetries_of(const ir::Op& op, ir::Types in, ir::Types out);

}  // namespace plumb::parity::relations
