#pragma once

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::cli::show {

/// Prints what a graph is: why, totals, work by op, and with `verbose` every value and node.
void print_graph(const ir::formats::GraphFile& file, bool verbose);

}  // namespace plumb::parity::cli::show
