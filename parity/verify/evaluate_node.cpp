// The truth of a node and the limits of its outputs, on what the candidate's node had.
#include <algorithm>
#include <set>

#include "ir/ops/gather.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "ir/passes/widen.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/profile/profile_arithmetic.hpp"
#include "parity/verify/case_run.hpp"

namespace plumb::parity::verify {

/// How the candidate computed a node, and how many standard deviations its limits allow for.
bounds::Manner CaseRun::manner_of(std::size_t n, const std::vector<ir::Sum>& sums) const {
  bounds::Manner manner{profile::arithmetic_of(executors_, sums, state_.node(n).segment.graph),
                        result_.may_flush && !must_be_exact(n)};
  manner.arithmetic.deviations = result_.false_alarms.lambda();
  manner.arithmetic.is_foreign = is_foreign();
  return manner;
}

CaseRun::Evaluation CaseRun::evaluate_node(std::size_t n, const std::vector<ir::Sum>& sums) const {
  const NodeState& node = state_.node(n);
  Evaluation own;
  own.manner = manner_of(n, sums);
  if (auto rows = gathered(n)) {
    own.local = bounds::bounded_by_class(node.segment, std::move(*rows), own.manner);
    return own;
  }
  own.fed = core::feeds_of(node.segment, [this](ir::Value v) { return ir::passes::widen(state_.got(v)); });
  if (is_judged_by_runs(n)) {
    own.local.truth = core::evaluate_widened(executors_.reference, node.segment, own.fed);
    evaluate_by_runs(n, own);
    return own;
  }
  try {
    own.local = judges::evaluate(executors_.reference, node.segment, own.fed, own.manner, options_.extra_judges.get());
  } catch (const bounds::NoModel& lack) {
    own.no_model = lack.what();
    own.local.truth = core::evaluate_widened(executors_.reference, node.segment, own.fed);
    if (is_foreign() || ir::passes::has_body(graph_.nodes()[n])) evaluate_by_runs(n, own);
  }
  return own;
}

/// Whether a group is judged by runs from the beginning: error models of the ops, one after the other, may allow it too
/// little, or its outputs are judged together and the candidate does not show all of them.
bool CaseRun::is_judged_by_runs(std::size_t n) const {
  // Nobody shows what is inside of an op that a body defines.
  if (!is_foreign() && !ir::passes::has_body(graph_.nodes()[n])) return false;
  const core::Segment& segment = state_.node(n).segment;
  const auto is_shown = [this](ir::Value v) { return state_.is_captured(v); };
  const bool lacks_output = !std::ranges::all_of(graph_.nodes()[n].outputs, is_shown);
  return has_narrow_inner_value(segment) || (lacks_output && judges::is_joint(segment, options_.extra_judges.get()));
}

/// Makes runs of a group from what the candidate's was fed; where an op of it has no error model, it cannot be judged.
void CaseRun::evaluate_by_runs(std::size_t n, Evaluation& own) const {
  const core::Segment& segment = state_.node(n).segment;
  const ir::Feeds fed = core::feeds_of(segment, [this](ir::Value v) { return state_.got(v); });
  try {
    own.runs = run_group(executors_.reference, segment, fed, own.manner.arithmetic.deviations, limits_of_elements());
    own.no_model.clear();
  } catch (const bounds::NoModel& lack) {
    own.no_model = no_model_of_group(n, lack.what());
  }
}

/// Why a group cannot be judged, and which further values would make it so.
std::string CaseRun::no_model_of_group(std::size_t n, const std::string& lack) const {
  std::set<std::string> inside;
  for (const ir::Node& node : state_.node(n).segment.graph.nodes()) inside.insert(node.label);
  std::string missing;
  for (const ir::Node& node : graph_.nodes())
    for (const ir::Value v : node.outputs)
      if (inside.contains(node.label) && !state_.is_captured(v))
        missing += (missing.empty() ? "" : ", ") + std::string(graph_.name(v));
  return missing.empty() ? lack : lack + "; ask the candidate for: " + missing;
}

/// The rows that a node gathers from a table that the graph is given: widened when they are found, which gives the same
/// numbers as looking for them in a table that was widened, most of it for nothing. Nothing of any other node.
std::optional<core::Evaluated> CaseRun::gathered(std::size_t n) const {
  const core::Segment& segment = state_.node(n).segment;
  const auto is_source = [this](ir::Value v) { return graph_.is_source(v); };
  const ir::Node& node = graph_.nodes()[n];
  const bool is_one = segment.graph.nodes().size() == 1 && node.op.is<ir::ops::Gather>();
  if (!is_one || !std::ranges::all_of(node.inputs, is_source)) return std::nullopt;
  ir::Graph alone;
  std::map<ir::Value, ir::Value> sources;
  for (const ir::Value v : node.inputs)
    if (!sources.contains(v)) sources.emplace(v, alone.input(std::string(graph_.name(v)), graph_.type(v)));
  const ir::Value rows = alone.add(node.label, node.op, {sources.at(node.inputs[0]), sources.at(node.inputs[1])});
  alone.returns(rows);
  const auto executable = executors_.reference.compile(alone, {}, {{rows}});
  core::Evaluated evaluated;
  evaluated.outputs.push_back(ir::passes::widen(executable->run(subject_.feeds).at(rows)));
  for (const ir::NodeReport& report : executable->nodes()) evaluated.nanoseconds += report.nanoseconds.value_or(0);
  return evaluated;
}

}  // namespace plumb::parity::verify
