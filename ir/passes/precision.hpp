#pragma once

#include <array>
#include <map>

#include "ir/graph.hpp"

namespace plumb::ir::passes {

/// How a node multiplies and adds.
enum class Precision {
  f32,        ///< as the graph has it
  f16acc32,   ///< f32 operands and packed weights rounded to f16, products summed in f32
  f16acc16,   ///< f32 operands rounded to f16, products summed in f16 where the device has such matrices
  bf16acc32,  ///< f32 operands and packed weights rounded to bf16, products summed in f32
  q8acc32,    ///< x of packed products as codes of 8 bits with a scale for each 32 of a row
};

constexpr auto enum_names(Precision) {
  return std::array<std::string_view, 5>{"f32", "f16acc32", "f16acc16", "bf16acc32", "q8acc32"};
}

/// Nodes, by label, that compute at another precision than f32.
using PrecisionPlan = std::map<std::string, Precision, std::less<>>;

/// Why a node cannot compute so, or "": only products of f32 (matmul, gemm, dot_general, einsum, conv, and those with
/// packed weights) can; to f16acc16 these are none, to q8acc32 the others.
std::string why_not(const Graph& graph, const Node& node, Precision precision);

/// All nodes that can compute so.
PrecisionPlan all_at(const Graph& graph, Precision precision);

/// The graph with casts to f16 or bf16 before the nodes of the plan, and the sum back in f32: of a matmul and of packed
/// products unrounded (output_dtype, dtype), of the others, which have no such attribute, after a rounding to f16. A
/// value is cast once for all its readers, and packed weights are rounded by weight_dtype. Sources, names, and value v
/// for every v stay as they are, and widened the graph of casts is the original: so its truth is the truth of the
/// original.
///
/// That is not so of packed products: weights stay rounded and, in q8acc32, x becomes codes, by nodes of the graph like
/// others. The scale of 32 elements of a row is the largest of their sizes over 127; where all are 0, it and the codes
/// are 0.
///
/// Throws Error when the plan names no node of the graph, or one that cannot compute so.
Graph at_precision(const Graph& graph, const PrecisionPlan& plan);

}  // namespace plumb::ir::passes
