#pragma once

#include <array>
#include <map>

#include "ir/graph.hpp"

namespace plumb::ir::passes {

/// How a node multiplies and adds.
enum class Precision {
  f32,       ///< as the graph has it
  f16acc32,  ///< f32 operands rounded to f16, products summed in f32
  f16acc16,  ///< f32 operands rounded to f16, products summed in f16 where the device has such matrices
};

constexpr auto enum_names(Precision) { return std::array<std::string_view, 3>{"f32", "f16acc32", "f16acc16"}; }

/// Nodes, by label, that compute at another precision than f32.
using PrecisionPlan = std::map<std::string, Precision, std::less<>>;

/// Why a node cannot compute so, or "": only products of f32 (matmul, gemm, dot_general, einsum, conv) can.
std::string why_not(const Graph& graph, const Node& node, Precision precision);

/// All nodes that can compute so.
PrecisionPlan all_at(const Graph& graph, Precision precision);

/// The graph with casts to f16 before the nodes of the plan, and the sum back in f32: of a matmul
/// unrounded (output_dtype), of the others, which have no such attribute, after a rounding to f16. A value
/// is cast once for all its readers. Sources, names, and value v for every v stay as they are, and widened the
/// graph is the original: so its truth is the truth of the original.
///
/// Throws Error when the plan names no node of the graph, or one that cannot compute so.
Graph at_precision(const Graph& graph, const PrecisionPlan& plan);

}  // namespace plumb::ir::passes
