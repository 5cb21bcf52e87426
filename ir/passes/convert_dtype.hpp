#pragma once

#include "ir/executor.hpp"

namespace plumb::ir::passes {

/// The graph with `to` (f16 or bf16) in place of f32: sources, attributes that name a dtype, and so every value
/// between them. An op that takes no `to` (rfft, make_complex) or gives f32 whatever it takes (irfft, complex_part,
/// constants) stays in f32 between casts, and what one such op hands to another is not rounded; complex values stay
/// c64. Value v of the result is value v of the original, by its name. Throws Error naming the node when an op takes
/// it in no way.
Graph as_dtype(const Graph& graph, DType to);

/// The feeds of a graph in `to`: f32 tensors rounded to `to`, the others as they are.
Feeds as_dtype(const Feeds& feeds, DType to);

}  // namespace plumb::ir::passes
