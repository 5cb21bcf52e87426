// What a graph does with a tensor, as far as numbers that are to be hard on it have to know.
#pragma once

#include "ir/graph.hpp"
#include "ir/loops.hpp"

namespace plumb::ir::adversarial {

/// How one operand of one op is used.
struct Use {
  Role role = Role::data;
  std::vector<std::size_t> axes = {};  ///< those that the op sums along, ascending; the others number its lines
  std::int64_t terms = 0;              ///< K, the terms of a sum; 0 where the op sums nothing
  double share = 1;                    ///< what a key has to be for a score of 1, where all of its row are equal
  std::int64_t low = 0, high = 0;      ///< where indices lie
};

/// How operand `operand` of `op` is used, by the loops that the op declares. The axes called `axis` or `axes` are those
/// of an operand that is in no declared sum.
Use use_of(const Op& op, Types in, Types out, std::size_t operand);

/// How a value is used by those who read it, also through ops that only move elements or map them one by one. The first
/// op that sums decides; indices are in the range of all of their readers.
Use use_of(const Graph& graph, Value value);

}  // namespace plumb::ir::adversarial
