// Results by the names that their file has for them.
#pragma once

#include "ir/graph.hpp"

namespace plumb::ir::formats {

/// The file's name of result `k` of its graph. An output that is an input, too, has one name in a model and two values
/// in the graph, of which the input has the name.
std::string result_name(const Graph& graph, std::size_t k);

/// The value that a node computes and that the file calls so, if there is one.
std::optional<Value> find_computed(const Graph& graph, std::string_view name);

}  // namespace plumb::ir::formats
