// The truth of a node and the limits of its outputs, on what the candidate's node had.
#include "parity/verify/node/evaluate.hpp"

#include <algorithm>
#include <set>

#include "ir/ops/gather.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "ir/passes/widen.hpp"

namespace plumb::parity::verify {
namespace {

/// Whether a group is judged by runs from the beginning: error models of the ops, one after the other, may allow it too
/// little, or its outputs are judged together and the candidate does not show all of them.
bool is_judged_by_runs(const NodeView& view) {
  // Nobody shows what is inside of an op that a body defines.
  if (!view.rules.is_foreign() && !ir::passes::has_body(view.node())) return false;
  // Whoever stores what he shows in 16 bits may store what he does not show so, too.
  if (view.is_group() && (view.state.node(view.n).stored > 0 || stored_operands(view.rules, view.state, view.n)))
    return true;
  const bool lacks_output = std::ranges::count(view.outputs, nullptr) > 0;
  return has_narrow_inner_value(view.segment()) ||
         (lacks_output && judges::is_joint(view.segment(), view.extra_judges()));
}

/// Why a group cannot be judged, and which further values would make it so.
std::string no_model_of_group(const NodeView& view, const std::string& lack) {
  const ir::Graph& graph = view.rules.graph();
  std::set<std::string> inside;
  for (const ir::Node& node : view.segment().graph.nodes()) inside.insert(node.label);
  std::string missing;
  for (const ir::Node& node : graph.nodes())
    for (const ir::Value v : node.outputs)
      if (inside.contains(node.label) && !view.state.is_captured(v))
        missing += (missing.empty() ? "" : ", ") + std::string(graph.name(v));
  return missing.empty() ? lack : lack + "; ask the candidate for: " + missing;
}

/// The rows that a node gathers from a table that the graph is given: widened when they are found, which gives the same
/// numbers as looking for them in a table that was widened, most of it for nothing. Nothing of any other node.
std::optional<core::Evaluated> gathered(const NodeView& view) {
  const ir::Graph& graph = view.rules.graph();
  const auto is_source = [&graph](ir::Value v) { return graph.is_source(v); };
  const ir::Node& node = view.node();
  const bool is_one = !view.is_group() && node.op.is<ir::ops::Gather>();
  if (!is_one || !std::ranges::all_of(node.inputs, is_source)) return std::nullopt;
  ir::Graph alone;
  std::map<ir::Value, ir::Value> sources;
  for (const ir::Value v : node.inputs)
    if (!sources.contains(v)) sources.emplace(v, alone.input(std::string(graph.name(v)), graph.type(v)));
  const ir::Value rows = alone.add(node.label, node.op, {sources.at(node.inputs[0]), sources.at(node.inputs[1])});
  alone.returns(rows);
  const auto executable = view.rules.executors.reference.compile(alone, {}, {{rows}});
  core::Evaluated evaluated;
  evaluated.outputs.push_back(ir::passes::widen(executable->run(view.rules.subject.feeds).at(rows)));
  for (const ir::NodeReport& report : executable->nodes()) evaluated.nanoseconds += report.nanoseconds.value_or(0);
  return evaluated;
}

}  // namespace

void evaluate_by_runs(const NodeView& view, Evaluation& own) {
  const ir::Feeds fed = core::feeds_of(view.segment(), [&view](ir::Value v) { return view.state.got(v); });
  try {
    own.runs =
        run_group(view.rules.executors.reference, view.segment(), fed, stored_operands(view.rules, view.state, view.n),
                  own.manner.arithmetic.deviations, view.rules.limits_of_elements());
    own.no_model.clear();
  } catch (const bounds::NoModel& lack) {
    own.no_model = no_model_of_group(view, lack.what());
  }
}

Evaluation evaluate(const NodeView& view, const std::vector<ir::Sum>& sums) {
  ir::Executor& reference = view.rules.executors.reference;
  Evaluation own;
  own.manner = view.rules.manner_of(view.n, view.segment(), sums, stored_operands(view.rules, view.state, view.n));
  if (auto rows = gathered(view)) {
    own.local = bounds::bounded_by_class(view.segment(), std::move(*rows), own.manner);
    return own;
  }
  own.fed = core::feeds_of(view.segment(), [&view](ir::Value v) { return ir::passes::widen(view.state.got(v)); });
  if (is_judged_by_runs(view)) {
    own.local.truth = core::evaluate_widened(reference, view.segment(), own.fed);
    evaluate_by_runs(view, own);
    return own;
  }
  try {
    own.local = judges::evaluate(reference, view.segment(), own.fed, own.manner, view.extra_judges());
  } catch (const bounds::NoModel& lack) {
    own.no_model = lack.what();
    own.local.truth = core::evaluate_widened(reference, view.segment(), own.fed);
    if (view.rules.is_foreign() || ir::passes::has_body(view.node())) evaluate_by_runs(view, own);
  }
  return own;
}

}  // namespace plumb::parity::verify
