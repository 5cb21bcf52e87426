#pragma once

#include "ir/registered_op.hpp"

namespace plumb::ir::passes {

/// Whether the node's op is a registered one with a body, or an op of the graph is.
bool has_body(const Node& node);
bool has_bodies(const Graph& graph);

/// The graph with the bodies of registered ops in the place of their nodes, and value v of the original as value v.
/// A body's node that computes a result of the op has the name of that result, the others are called as the op's node
/// and themselves, "y/sum".
Graph inline_bodies(const Graph& graph);

}  // namespace plumb::ir::passes
