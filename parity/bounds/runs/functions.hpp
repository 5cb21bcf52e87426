#pragma once

#include <string>

#include "ir/graph.hpp"

/// Functions that some libraries approximate within an absolute error: a sigmoid of polynomials and clamps is as far
/// off where it is nearly 0 as where it is 1.
namespace plumb::parity::bounds::runs {

/// Whether an op computes such a function, alone or inside.
bool is_approximated(const ir::Op& op);

/// The names of those functions in a graph, "sigmoid, tanh"; "" where there is none.
std::string approximated_functions(const ir::Graph& graph);

}  // namespace plumb::parity::bounds::runs
