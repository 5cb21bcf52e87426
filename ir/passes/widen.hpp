#pragma once

#include "ir/graph.hpp"

namespace plumb::ir::passes {

/// The graph in reference precision (ops.md 1.10): f16, bf16 and f32 become f64,
/// c64 becomes c128. Value v of the result is value v of the original, so that a
/// truth and a candidate can be compared value by value.
Graph widen(const Graph& graph);

/// The tensor in the dtype that its value has in the widened graph, exactly.
Tensor widen(const TensorView& tensor);

/// f64 for the narrower floats, c128 for c64, else the dtype itself.
DType wider(DType dtype);

}  // namespace plumb::ir::passes
