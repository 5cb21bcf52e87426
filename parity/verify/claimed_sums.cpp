// A candidate's account of how it adds: put aside until replays on a sample of what it gave have held it to that, since
// limits by a tree that nobody tested may be wider than any that is there (library.md A).
#include "parity/checks/samples/replay_check.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/verify/case_run.hpp"

namespace plumb::parity::verify {

/// Nobody vouches for what a candidate that is not ours says of a node. If it says nothing, its profile may.
void CaseRun::set_claim_aside(std::size_t n) {
  NodeState& node = state_.node(n);
  if (!is_foreign() || !node.report) return;
  node.claimed = std::exchange(node.report->sums, {});
  if (!node.claimed.empty() || executors_.profile == nullptr) return;
  ir::TensorTypes operands;
  const ir::Node& asked = graph_.nodes()[n];
  for (const ir::Value v : asked.inputs) operands.push_back(graph_.type(v));
  const profile::MeasuredSum* const found = executors_.profile->sum_of(node.report->kernel, asked.op.name(), operands);
  if (found == nullptr) return;
  node.claimed = {found->sum};
  node.is_measured = true;
}

/// The sums of a node that count: those of our own kernels, and those that a candidate was believed.
std::vector<ir::Sum> CaseRun::published(std::size_t n) const {
  const auto& report = state_.node(n).report;
  return report ? report->sums : std::vector<ir::Sum>{};
}

/// Evaluates a node by what is known of how it adds, and holds a candidate to what it says of that. Where it is not
/// believed, the order and the unit of its sums are unknown.
void CaseRun::evaluate_by_claim(std::size_t n, Examined& found) const {
  const std::vector<ir::Sum>& claimed = state_.node(n).claimed;
  found.sums = claimed.empty() ? published(n) : claimed;
  found.own = evaluate_node(n, found.sums);
  if (claimed.empty()) return;
  found.claim = test_claim(n, found.own);
  if (found.claim.is_believed()) return;
  found.sums.clear();
  found.own = evaluate_node(n, found.sums);
}

CaseRun::ClaimTest CaseRun::test_claim(std::size_t n, const Evaluation& own) const {
  const NodeState& node = state_.node(n);
  ClaimTest test{
      .is_there = true, .is_measured = node.is_measured, .is_less = ir::accumulator_of(node.claimed) == ir::DType::f16};
  if (own.runs || !own.no_model.empty()) return test;
  std::vector<ir::TensorView> inputs;
  for (const ir::Value v : node.segment.fed) inputs.push_back(state_.got(v));
  const settle::Subject asked{executors_.reference, node.segment, inputs,
                              node.claimed,         own.manner,   own.fed.empty() ? nullptr : &own.fed};
  const std::vector<ir::Value>& outputs = graph_.nodes()[n].outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!state_.is_captured(outputs[k])) continue;
    cases::NodeResult result = blank(n, k);
    replay_sample(own, k, result, asked);
    if (result.replays.asked > 0) test.replays.emplace(k, result.replays);
  }
  return test;
}

/// Lets what follows know how the node adds.
void CaseRun::believe(std::size_t n, const Examined& found) {
  if (!found.claim.is_there) return;
  if (found.claim.is_believed())
    state_.node(n).report->sums = found.sums;
  else if (!found.claim.is_refuted())
    unbelieved_.push_back(graph_.nodes()[n].label);
}

/// The note on all that no replay tests.
std::string CaseRun::unbelieved() const {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, unbelieved_.size()); ++i)
    names += (i == 0 ? "'" : ", '") + unbelieved_[i] + "'";
  if (unbelieved_.size() > most) names += ", ...";
  return ir::cat(
      "the candidate says of ", core::terminal::counted(unbelieved_.size(), "node"), " (", names,
      ") how it adds, which no replay here can test, or which is less than f32: the limits are those of an unknown "
      "order");
}

}  // namespace plumb::parity::verify
