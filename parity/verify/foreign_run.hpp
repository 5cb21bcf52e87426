#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "ir/executor.hpp"

/// A run by somebody else's candidate needs more than one by our own (library.md A).
namespace plumb::parity::verify {

/// Throws Unsupported, naming the nodes and the candidate's reasons, where it refuses one of the graph.
void require_supported(const ir::Executor& candidate, const ir::Graph& graph);

/// The operands and outputs of the nodes that are chosen; nothing where all are.
std::optional<std::set<ir::Value>> values_of_interest(const ir::Graph& graph,
                                                      const std::function<bool(std::size_t)>& is_chosen);

}  // namespace plumb::parity::verify
