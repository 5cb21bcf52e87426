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

/// Has those attributes of an op that name dtypes name what `map` makes of these.
void map_dtypes(const OpSchema& schema, Attributes& attributes, const std::function<DType(DType)>& map);

/// The op with such attributes.
Op with_dtypes(const Op& op, const std::function<DType(DType)>& map);

}  // namespace plumb::ir::passes
