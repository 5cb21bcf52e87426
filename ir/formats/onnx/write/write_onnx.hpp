#pragma once

#include <string>

#include "ir/executor.hpp"

namespace plumb::ir::formats {

/// A graph as an ONNX model, whose values have the graph's names ("h", "h:1"). Params that `stored` has are tensors of
/// the model, the others inputs behind those of the graph. The opset is the oldest from 17 on that has all operators.
/// An op is written where operators of ONNX say the same of every number, by ONNX's text, or by what is known of
/// numbers that are stored: what ONNX leaves open (integers divided by 0, say) is none. Throws Unsupported with one
/// line for each node that has none, "no ONNX operator for 'h' (fft)", and where the model would be larger than 2 GiB.
std::string write_onnx(const Graph& graph, const Feeds& stored);

/// Why write_onnx does not write a node of the graph whatever params are stored, "no ONNX operator", perhaps with a
/// reason; "" if it may.
std::string why_no_onnx(const Graph& graph, const Node& node);

}  // namespace plumb::ir::formats
