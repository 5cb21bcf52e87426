#pragma once

#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::parity::cli::show {

/// Prints what a graph is: why, totals, work by op, and with `verbose` every value and node.
void print_graph(const ir::formats::GraphFile& file, bool verbose);

/// Prints what is known of a model that leaves extents open, each as --shape would settle it: inputs, outputs,
/// operators.
void print_open_model(const ir::formats::OnnxFacts& facts, const std::vector<std::string>& open);

}  // namespace plumb::parity::cli::show
