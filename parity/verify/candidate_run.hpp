#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "parity/core/candidate_error.hpp"
#include "parity/core/segment.hpp"
#include "parity/core/verdict.hpp"
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::verify {

/// The results of a candidate on a graph, or on one node of it.
struct CandidateRun {
  ir::Tensors values = {};                         ///< by value of the graph
  std::map<ir::Value, std::uint64_t> hashes = {};  ///< hashes of those values
  std::set<ir::Value> unstable = {};               ///< values that had other bits in another run
  std::vector<ir::NodeReport> nodes = {};

  std::optional<core::Verdict> refused = {};  ///< failed or unsupported, for a node that the reference runs
  std::string why = {};                       ///< it refused
};

/// Runs the graph `repeat` times. Keeps every value that survives the passes, or of these the ones that are of
/// interest. Throws as the executor does. `compiled` is called when it is compiled and has not run, of which either may
/// take long.
CandidateRun run_whole(ir::Executor& candidate, foreign::Storage storage, const ir::Graph& graph,
                       const ir::Feeds& feeds, unsigned repeat, const std::function<void()>& compiled = {},
                       std::optional<std::set<ir::Value>> of_interest = {});

/// The outcome of a run, with the hashes of its values; sources, which are not the candidate's, are left out.
CandidateRun make_run(const ir::Graph& graph, ir::Tensors values, std::vector<ir::NodeReport> nodes);

/// Runs the graph once as it is compiled for its results alone, with copies of the values that survive.
CandidateRun run_tapped(ir::Executor& candidate, foreign::Storage storage, const ir::Graph& graph,
                        const ir::Feeds& feeds);

/// Runs one node as a graph of its own `repeat` times, on what `fed` has for its operands, in the graph's dtypes.
/// Throws DeviceError when the device fails; any other refusal is part of the result.
CandidateRun run_alone(ir::Executor& candidate, foreign::Storage storage, const ir::Node& node,
                       const core::Segment& segment, const core::Lookup& fed, unsigned repeat);

/// Whether an executor refuses this graph or its inputs.
bool is_refused(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds);

}  // namespace plumb::parity::verify
