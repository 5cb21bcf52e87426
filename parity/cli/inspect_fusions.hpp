#pragma once

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::cli {

/// Prints what the passes of the Vulkan executor make of a graph, on the device that is there
/// or on a usual one. Numbers of params are not looked at where they are too many to make.
void print_fusions(const ir::GraphFile& file);

}  // namespace plumb::parity::cli
