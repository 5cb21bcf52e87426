#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parity/bounds/bounded.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/cases/replay_sample.hpp"
#include "parity/core/judged_output.hpp"
#include "parity/judges/following.hpp"
#include "parity/verify/node/group_runs.hpp"

namespace plumb::parity::verify {

/// The truth and the limits of a node's outputs on what its segment was fed.
struct Evaluation {
  bounds::Bounded local = {};
  ir::Feeds fed = {};
  bounds::Manner manner = {};
  std::string no_model = {};           ///< the part that error models lack, if any: then there is only the truth
  std::optional<GroupRuns> runs = {};  ///< judges a group that composed error models say nothing of
};

/// A candidate's own account of how it adds, held to replays (library.md A).
struct ClaimTest {
  bool is_there = false;
  bool is_measured = false;  ///< a probe has found it, and no candidate said it
  bool is_less = false;      ///< it says that it sums in less than f32, which no limit allows for
  std::map<std::size_t, cases::ReplaySample> replays = {};  ///< by output

  bool is_tested() const;
  bool is_believed() const { return (is_tested() || is_measured) && !is_less && !is_refuted(); }
  bool is_refuted() const;
};

/// Findings on a node by itself: nothing of them depends on the results of other nodes.
struct Examination {
  Evaluation own = {};
  std::vector<ir::Sum> sums = {};  ///< how the kernel adds, as far as it is believed
  ClaimTest claim = {};
  core::JudgedOutput judged = {};
  std::vector<cases::NodeResult> results = {};    ///< by output; measured and checked, without a verdict
  bool is_joint = false;                          ///< whether its outputs were judged together
  std::map<std::size_t, ir::Tensor> truths = {};  ///< then, by output, the truth it was compared with

  /// The truth that output `k` was compared with.
  const ir::Tensor& truth(std::size_t k) const {
    return is_joint && truths.contains(k) ? truths.at(k) : own.local.truth.outputs[k];
  }
  /// The outputs that are decisions: the candidate's where these are admissible. They are kept here.
  judges::DecidedOutputs decided() const {
    judges::DecidedOutputs found;
    for (const auto& [k, output] : truths)
      if (results[k].units.kind == cases::UnitKind::choice) found.emplace(k, &output);
    return found;
  }
};

}  // namespace plumb::parity::verify
