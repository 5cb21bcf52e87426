// The loops of an op, which its header in ir/ops declares: which axes of operands and result go together, which are
// summed, and what each operand is to the op. Fills, relations, exact twins and faults ask them instead of naming ops.
// Nothing that computes a truth or a limit reads them, so that a wrong declaration fails a correct device or misses a
// fault, and shows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/op.hpp"

namespace plumb::ir {

class Graph;
struct Node;

using Axis = std::optional<std::size_t>;

/// The dependence between the steps of a loop.
enum class StepOrder {
  independent,  ///< none: they may come in any order, and any of them may be left out
  unordered,    ///< they may come in any order
  ordered       ///< their places count
};

/// The reduction of the elements that a loop runs over.
enum class Reduction {
  none,
  sum,   ///< their contributions are added; an operand's zero contributes nothing
  other  ///< a maximum, a product or statistics, to which a zero matters
};

/// One loop of an op: the axis along which it runs in the first result and in each operand, none in those that all of
/// its steps share.
struct Loop {
  Axis out = {};
  std::vector<Axis> in = {};  ///< by operand
  StepOrder steps = StepOrder::independent;
  Reduction reduction = Reduction::none;
};

/// The role of an operand in its op.
enum class Role {
  data,       ///< the main operand: the numbers of a sum, or the first factor of a product
  factor,     ///< multiplies data
  addend,     ///< is added to the sum
  parameter,  ///< a setting for the data: scales, statistics, positions, states
  query,      ///< the first factor of scores
  key,        ///< the other factor of scores
  value,      ///< is averaged with the weights that scores give
  score,      ///< exponents
  variance,   ///< never negative
  index       ///< whole numbers in [low, high)
};

/// How the first result follows an operand, with addends along: c > 0 times the one is c times the other, and for
/// linear ones the result of a sum is the sum of the results.
enum class Degree { none, homogeneous, linear };

struct OperandUse {
  Role role = Role::data;
  Degree degree = Degree::none;
  std::int64_t low = 0, high = 0;  ///< where indices lie
};

/// The loops and the operands' roles that an op declares.
struct Loops {
  std::vector<Loop> loops = {};
  std::vector<OperandUse> operands = {};  ///< the first ones; operand() has the rule for the others
  std::string_view rounds = {};           ///< why results are rounded whatever the operands are; empty: they may not be
  double score_scale = 1;                 ///< the factor of scores

  /// The use of operand `i`. An operand without a declaration is data or, behind operand 0 of an op that reduces, a
  /// parameter.
  OperandUse operand(std::size_t i) const;
};

/// The declaration of the op on operands and results of these types.
Loops loops_of(const Op& op, Types in, Types out);
Loops loops_of(const Graph& graph, const Node& node);

/// Whether the op sums products of its operands.
bool is_product(const Loops& loops);

/// Whether it sums products of two operands, is linear in both, and otherwise only adds.
bool is_product_of_two(const Loops& loops);

}  // namespace plumb::ir
