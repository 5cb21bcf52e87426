// What a graph does with a tensor, as far as numbers that are to be hard on it have to know.
#pragma once

#include "ir/graph.hpp"

namespace plumb::ir::adversarial {

/// What an operand is to the op that reads it.
enum class Role {
  leads,     ///< the numbers of a sum: these are what a kind says
  follows,   ///< they multiply those that lead, and must not spoil what these are
  beside,    ///< they are added to what was summed, or scale it
  scores,    ///< exponents: they lead, and so they do where a kind is of scores
  keys,      ///< they lead where a kind is of scores, else they follow
  values,    ///< they lead, but where a kind is of scores they follow
  variance,  ///< never negative
  index      ///< whole numbers in [low, high)
};

/// How one operand of one op is used.
struct Use {
  Role role = Role::leads;
  std::vector<std::size_t> axes = {};  ///< those that the op sums along, ascending; the others number its lines
  std::int64_t terms = 0;              ///< K, the terms of a sum; 0 where the op sums nothing
  double share = 1;                    ///< what a key has to be for a score of 1, where all of its row are equal
  std::int64_t low = 0, high = 0;      ///< where indices lie
};

/// How operand `operand` of `op` is used: what the op's file in ir/adversarial/ops says, else what its attributes do.
Use use_of(const Op& op, Types in, Types out, std::size_t operand);

/// How a value is used by those who read it, also through ops that only move elements or map them one by one. The first
/// op that sums decides; indices are in the range of all of their readers.
Use use_of(const Graph& graph, Value value);

/// For files of ops: the axes of an operand of rank `rank` from `first` on.
std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank);

}  // namespace plumb::ir::adversarial
