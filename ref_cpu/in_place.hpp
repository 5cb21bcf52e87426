#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.hpp"

namespace plumb::ref_cpu {

/// By value, the one in whose memory it lies: the result that is written over it in place, or over that, and so on;
/// else itself. A node that changes a part of its first operand is written over it where nobody reads the operand
/// behind the node, nor the node itself as another operand.
///
/// `steps`: the nodes that run, in order. `is_lasting`: whether a value outlives the step that reads it last, or its
/// memory is not the run's: inputs, params, constants, and what is wanted.
std::vector<ir::Value> homes(const ir::Graph& graph, std::span<const std::size_t> steps,
                             const std::function<bool(ir::Value)>& is_lasting);

}  // namespace plumb::ref_cpu
