#pragma once

#include "ir/executor.hpp"

namespace plumb::ir::passes {

/// The graph with `to` (f16 or bf16) in place of f32: sources, attributes that name a
/// dtype, and so every value between them; constants are followed by a cast. Value v of
/// the result is value v of the original. Throws Error naming the node when an op does not take it.
Graph as_dtype(const Graph& graph, DType to);

/// What such a graph is fed: f32 tensors rounded to `to`, the others as they are.
Feeds as_dtype(const Feeds& feeds, DType to);

}  // namespace plumb::ir::passes
