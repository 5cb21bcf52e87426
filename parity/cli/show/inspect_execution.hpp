#pragma once

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::cli::show {

/// Prints who runs what, on the Vulkan device that is there or on a usual one: what its passes
/// make of the graph, its kernels, and what is left to the host and why. Numbers of params are
/// not looked at where they are too many to make.
void print_execution(const ir::formats::GraphFile& file);

}  // namespace plumb::parity::cli::show
