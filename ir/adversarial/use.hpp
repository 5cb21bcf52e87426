// The use of a tensor by a graph, as far as adversarial numbers depend on it: role, summed axes, range of indices.
#pragma once

#include "ir/graph.hpp"
#include "ir/loops.hpp"

namespace plumb::ir::adversarial {

/// How one operand of one op is used.
struct Use {
  Role role = Role::data;
  std::vector<std::size_t> axes = {};  ///< those that the op sums along, ascending; the others number its lines
  std::int64_t terms = 0;              ///< K, the terms of a sum; 0 where the op sums nothing
  double share = 1;                    ///< element of a constant key that scores 1 against a query of ones; else 1
  std::int64_t low = 0, high = 0;      ///< where indices lie
};

/// How operand `operand` of `op` is used, by the loops that the op declares. The axes called `axis` or `axes` are those
/// of an operand that is in no declared sum.
Use use_of(const Op& op, Types in, Types out, std::size_t operand);

/// How a value is used by those who read it, also through ops that only move elements or map them one by one. The first
/// op that sums decides; indices are in the range of all of their readers.
Use use_of(const Graph& graph, Value value);

}  // namespace plumb::ir::adversarial
