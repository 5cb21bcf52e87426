#pragma once

#include "parity/policy.hpp"
#include "parity/results_tables.hpp"

namespace plumb::parity {
struct NodeResult;
}

namespace plumb::parity::policy {

/// A policy at work on one device.
struct Gate {
  Policy policy;
  Facts device = {};  ///< what every node shares: device, driver and its version
  std::chrono::sys_days today = {};
  std::string explain = {};  ///< a glob over the nodes to explain; empty for none
};

/// The facts of a device as results files describe it.
Facts device_facts(std::string name, std::string driver, std::string_view driver_info);

/// What is known of a node that ran.
Facts facts_of(const Facts& device, const ir::Graph& graph, const NodeResult& result);

/// What is known of one that a results file holds; `label` is its name.
Facts facts_of(const Facts& device, const results::GraphNode& node, std::string label,
               results::Code<results::FillKind>);

/// A comparison, without its tensors.
Measured measured(const Comparison& comparison, ir::DType dtype);
Measured measured(const results::Node& row, const results::TopElement& worst, ir::DType dtype);

/// Judges an output that was just compared, every element at hand; adds to the result which rule
/// it was and, where it is asked for, the explanation.
Judgement judge(const Gate& gate, const ir::Graph& graph, NodeResult& result, const ir::TensorView& truth,
                const ir::TensorView& got);

}  // namespace plumb::parity::policy
