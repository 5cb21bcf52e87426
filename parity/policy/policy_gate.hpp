// A policy at work on one device: from the results of a comparison to a verdict.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "parity/core/demands.hpp"
#include "parity/policy/policy.hpp"

namespace plumb::parity::cases {
struct CaseResult;
struct JudgedBy;
struct NodeResult;
}  // namespace plumb::parity::cases

namespace plumb::parity::policy {

/// A policy at work on one device.
struct Gate {
  Policy policy;
  Facts device = {};  ///< shared by all nodes: device, driver and its version
  std::chrono::sys_days today = {};
  std::string explain = {};  ///< a glob over the nodes to explain; empty for none
};

/// The facts of a device as results files describe it.
Facts device_facts(std::string name, std::string driver, std::string_view driver_info);

/// The facts of a node that ran, with those of its device.
Facts facts_of(const Facts& device, const ir::Graph& graph, const cases::NodeResult& result);

/// States the dtype of an output, what it is summed in, and their unit roundoffs. Without an accumulator that the
/// kernel names, sums are made in the dtype that the op computes in.
void set_dtypes(Facts& facts, ir::DType dtype, std::optional<ir::DType> accumulator);

/// A comparison, without its tensors.
Measured measured(const compare::Comparison& comparison);

/// Whether results may be 0 in place of a subnormal, on a device that does so or not: without a gate as it does.
bool may_flush(const Gate* gate, bool device_flushes);

/// Whether an output budget names an output of this node: then no filter leaves the node out.
bool has_budget(const Gate* gate, const ir::Node& node);

/// An output that was not compared, although a budget holds its total to something, becomes an error.
void require_total(const Gate* gate, cases::NodeResult& result);

/// The probability that a clean run fails (verdict.md V51): what the policy's budget says, else the usual one.
double false_alarms(const Gate* gate);

/// Budgets that name none of these outputs, "FILE:LINE: ...".
std::vector<std::string> idle_budgets(const Policy& policy, std::span<const std::string> outputs);

/// Each of those as what is wrong with a run: what they hold to a limit was misspelt.
std::vector<core::RunFinding> as_findings(const std::vector<std::string>& idle_budgets);

/// An output that went wrong in a way that the gate's policy has in quarantine becomes `quarantined`.
void excuse(const Gate* gate, const ir::Graph& graph, cases::NodeResult& result);

/// Likewise a case that a device fault ended, which no node is to blame for.
void excuse_device_fault(const Gate* gate, cases::CaseResult& result);

/// The record in a case of the gate that judges it; empty without one.
cases::JudgedBy judged_by(const Gate* gate);

/// Rules that excuse a failure for at most two weeks more.
std::vector<std::size_t> rules_ending(const Policy& policy, std::chrono::sys_days today);

/// Judges an output that was just compared, every element of what is judged at hand; adds to the result which rule
/// it was and, where it is asked for, the explanation.
Judgement judge(const Gate& gate, const ir::Graph& graph, cases::NodeResult& result, const ir::TensorView& truth,
                const ir::TensorView& got);

/// The judgement by the gate or, without one, by the bound: the part of a verdict that depends on numbers.
Judgement judge_numbers(const Gate* gate, const ir::Graph& graph, cases::NodeResult& result,
                        const ir::TensorView& truth, const ir::TensorView& got);

/// Whether an output is held to its bound: no rule that decides it puts another requirement in its place.
bool decides_by_bound(const Gate* gate, const cases::NodeResult& result);

/// Whether errors that are allowed one by one are refused for what they have in common: `result.statistics` found
/// something, and what decides is the bound of the output, by which `gate` lets it pass.
bool is_refused_by_statistics(const Gate* gate, const cases::NodeResult& result, const Judgement& judged);

/// Whether it is looked at how the kernel adds: where the bound decides, and by a rule that requires equal replays
/// (verdict.md V22).
bool looks_at_replays(const Gate* gate, const cases::NodeResult& result);

}  // namespace plumb::parity::policy
