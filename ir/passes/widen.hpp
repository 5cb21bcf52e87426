#pragma once

#include "ir/executor.hpp"

namespace plumb::ir::passes {

/// The widened value of real attributes of nodes that compute in f32: the nearest f32, which a candidate computes with,
/// or the number as written.
enum class Reals { nearest_f32, as_written };

/// The graph in reference precision (ops.md 1.10): f16, bf16 and f32 become f64,
/// c64 becomes c128. Value v of the result is value v of the original, so that a
/// truth and a candidate can be compared value by value.
/// Throws Unsupported for a graph with a node that has no truth.
Graph widen(const Graph& graph, Reals reals = Reals::nearest_f32);

/// Why a node's results have no truth in reference precision, where they have none: the bits of a float say something
/// else when it is wider. "" for every other node.
std::string why_no_truth(const Graph& graph, const Node& node);

/// The tensor in the dtype that its value has in the widened graph, exactly.
Tensor widen(const TensorView& tensor);
/// Likewise; where that is its own dtype, as a copy has it: bytes of somebody else's are shared.
Tensor widen(const Tensor& tensor);

/// Likewise of all of them.
Feeds widen(const Feeds& feeds);

/// f64 for the narrower floats, c128 for c64, else the dtype itself.
DType wider(DType dtype);

}  // namespace plumb::ir::passes
