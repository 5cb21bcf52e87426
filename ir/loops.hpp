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

/// What the steps of a loop know of one another.
enum class Steps {
  independent,  ///< nothing: they may come in any order, and any of them may be left out
  unordered,    ///< they may come in any order
  ordered       ///< their places count
};

/// What a loop does with the elements that it runs over.
enum class Reduction {
  none,
  sum,   ///< it adds up what they contribute; an operand's zero contributes nothing
  other  ///< it finds a maximum, a product or statistics of them, to which a zero matters
};

/// One loop of an op: the axis along which it runs in the first result and in each operand, none in those that all of
/// its steps share.
struct Loop {
  Axis out = {};
  std::vector<Axis> in = {};  ///< by operand
  Steps steps = Steps::independent;
  Reduction reduction = Reduction::none;
};

/// What an operand is to its op.
enum class Role {
  data,       ///< what the op is about: the numbers of a sum, or the first factor of a product
  factor,     ///< multiplies data
  addend,     ///< is added to what was summed
  parameter,  ///< sets what the op does to its data: scales, statistics, positions, states
  query,      ///< the first factor of scores
  key,        ///< the other factor of scores
  value,      ///< what is averaged with the weights that scores give
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

/// What an op declares.
struct Loops {
  std::vector<Loop> loops = {};
  std::vector<OperandUse> operands = {};  ///< the first ones; `operand` says what the others are
  std::string_view rounds = {};           ///< why results are rounded whatever the operands are; empty: they may not be
  double score_scale = 1;                 ///< that scores are multiplied with

  /// What operand `i` is. Where nothing is declared it is data, or, behind the first one of an op that reduces, a
  /// parameter.
  OperandUse operand(std::size_t i) const;
};

/// What the op declares on operands and results of these types.
Loops loops_of(const Op& op, Types in, Types out);
Loops loops_of(const Graph& graph, const Node& node);

/// Whether the loop is a sum that the result has no axis of, so that a step is a term of every element it meets.
bool sums_terms(const Loop& loop);

/// Whether the op sums products of its operands.
bool is_product(const Loops& loops);

/// Whether it sums products of two operands, is linear in both, and otherwise only adds.
bool is_product_of_two(const Loops& loops);

}  // namespace plumb::ir
