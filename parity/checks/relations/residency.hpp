#pragma once

#include <utility>
#include <vector>

#include "ir/executor.hpp"
#include "parity/cases/relation_result.hpp"

namespace plumb::parity::checks::relations {

/// Pairs of a result and an input that it can be fed to, which has its type; each input once.
std::vector<std::pair<ir::Value, ir::Value>> feedable(const ir::Graph& graph);

/// Holds runs on an executor's buffers and contexts to the bits of its `run`, for each result that a node makes
/// (docs/spec/residency.md F): two runs in flight, a run on bound buffers, and steps whose results are fed back, by two
/// executables that share their params. `results` are what `run` gives for the graph's results.
///
/// A context that refuses what `run` takes breaks the relation. Nothing more is asked of an executor that throws
/// Unsupported, as one without contexts does. Throws DeviceError as the executor does.
std::vector<cases::RelationResult> check_residency(ir::Executor& executor, const ir::Graph& graph,
                                                   const ir::Feeds& feeds, const ir::Tensors& results);

}  // namespace plumb::parity::checks::relations
