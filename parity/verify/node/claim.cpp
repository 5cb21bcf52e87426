// A candidate's account of how it adds is put aside until replays have held what the candidate gave to it.
#include "parity/verify/node/claim.hpp"

#include <algorithm>

#include "parity/checks/samples/replay_check.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::verify {

bool ClaimTest::is_tested() const {
  return std::ranges::any_of(replays, [](const auto& one) { return one.second.asked > 0; });
}

bool ClaimTest::is_refuted() const {
  return std::ranges::any_of(replays, [](const auto& one) { return one.second.refutes(); });
}

ClaimTest test_claim(const NodeView& view, const Evaluation& own) {
  const NodeState& node = view.state.node(view.n);
  ClaimTest test{
      .is_there = true, .is_measured = node.is_measured, .is_less = ir::accumulator_of(node.claimed) == ir::DType::f16};
  if (own.runs || !own.no_model.empty()) return test;
  const settle::Subject asked{view.rules.executors.reference,      node.segment, view.inputs, node.claimed, own.manner,
                              own.fed.empty() ? nullptr : &own.fed};
  for (std::size_t k = 0; k < view.outputs.size(); ++k) {
    if (view.outputs[k] == nullptr) continue;
    const auto sample = checks::samples::replay_sample(
        asked, k, own.local.truth.outputs[k], *view.outputs[k],
        checks::samples::Draws(view.rules.subject.seed, view.described[k].name() + ".replay"));
    if (sample.asked > 0) test.replays.emplace(k, sample);
  }
  return test;
}

std::string note_of_unbelieved(const std::vector<std::string>& labels) {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, labels.size()); ++i) names += (i == 0 ? "'" : ", '") + labels[i] + "'";
  if (labels.size() > most) names += ", ...";
  return ir::cat(
      "the candidate says of ", core::terminal::counted(labels.size(), "node"), " (", names,
      ") how it adds, which no replay here can test, or which is less than f32: the limits are those of an unknown "
      "order");
}

}  // namespace plumb::parity::verify
