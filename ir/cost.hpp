#pragma once

#include "ir/graph.hpp"

namespace plumb::ir {

/// The work of one node on the types that it has in its graph.
Cost cost_of(const Graph& graph, const Node& node);

/// Bytes of its operands and results, each once.
std::uint64_t bytes_of(const Graph& graph, const Node& node);

}  // namespace plumb::ir
