#pragma once

#include <optional>
#include <vector>

#include "ir/loops.hpp"

/// Symmetries of ops, which hold whatever the right results are (docs/metamorphic.md). They follow from the loops that
/// the op declares; parity/checks/relations/ops has a file for every op that keeps more than its loops say.
namespace plumb::parity::checks::relations {

/// Operands which, all multiplied by c > 0, multiply the result by c.
struct Homogeneity {
  std::vector<std::size_t> operands = {};
  bool linear = false;  ///< and the result for sums of operands is the sum of results
};

/// The op that takes the first two operands in the other order and gives the same, or its transpose.
struct Exchange {
  ir::Op op;
  bool transposes = false;
  bool same_order = true;  ///< whether every element is then rounded as before, by the same kernel
};

/// A discrete Fourier transform of every line along an axis of the only operand.
struct Transform {
  std::int64_t points = 0;
  std::size_t axis = 0;
  double scale = 1;
  int sign = -1;   ///< the sign of exponents
  ir::Op inverse;  ///< gives the operand back, by a scale of its own
  double inverse_scale = 1;
  bool halves_x = false, halves_y = false;  ///< whether operand or result is the half of a spectrum that says all of it
};

/// Steps along an axis, each from the state on that the one before it left: an operand is the first state, a result the
/// last one.
struct Steps {
  struct Operand {
    std::optional<std::size_t> own = {};    ///< which operand of the op it is; none for a first state that is not given
    std::optional<std::size_t> axis = {};   ///< the axis of its steps; none: all steps share it
    std::optional<std::size_t> state = {};  ///< the result that the next piece takes it from
    bool counts_steps = false;              ///< it says how many steps each sequence has
  };
  ir::Op continued;                             ///< the op that is given every state
  std::vector<Operand> operands = {};           ///< its operands
  std::vector<std::optional<std::size_t>> out;  ///< by result the axis of its steps; none: it is a state
};

struct Symmetries {
  std::vector<ir::Loop> loops = {};  ///< steps that are not ordered may be rearranged
  std::vector<Homogeneity> homogeneous = {};
  std::optional<Exchange> exchange = {};
  /// Kernels sum products in tiles, whose edges may add in another order than their middles.
  bool tiled = false;
  std::optional<Transform> transform = {};
  std::optional<Steps> steps = {};
  /// The first result of a step is the state of the next, from which that is judged as the candidate gave it: two right
  /// runs of several steps may drift apart without an end.
  bool feeds_back = false;
};

/// The symmetries of an op on operands of these types.
Symmetries symmetries_of(const ir::Op& op, ir::Types in, ir::Types out);

}  // namespace plumb::parity::checks::relations
