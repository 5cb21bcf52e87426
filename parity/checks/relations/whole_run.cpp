// Runs a graph on the candidate, and on the reference with other roundings.
#include "parity/checks/relations/whole_run.hpp"

#include <algorithm>

#include "parity/checks/expected/end_to_end.hpp"
#include "parity/core/float_format.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/profile/profile_arithmetic.hpp"

namespace plumb::parity::checks::relations {
namespace {

constexpr bounds::runs::Sampling usual;

/// How the candidate added in a node, that of another node where it is fused into that.
std::vector<ir::Sum> sums_of(const ir::Graph& graph, const std::vector<ir::NodeReport>& reports, std::size_t n) {
  if (n >= reports.size()) return {};
  if (reports[n].placement != ir::Placement::fused) return reports[n].sums;
  const auto into = std::ranges::find(graph.nodes(), reports[n].kernel, &ir::Node::label);
  const auto at = static_cast<std::size_t>(into - graph.nodes().begin());
  return at < reports.size() ? reports[at].sums : std::vector<ir::Sum>{};
}

}  // namespace

WholeRun whole_run_of(const cases::Case& of, const cases::Executors& executors, double lambda) {
  const ir::Graph& graph = of.file->graph;
  WholeRun run{.of = of, .results = {}, .spreads = {}};
  if (executors.foreign != nullptr) executors.foreign->begins(of);
  const auto executable = executors.candidate->compile(graph, of.feeds, {graph.results()});
  run.results = executable->run(of.feeds);
  // Nobody vouches for what a candidate that is not ours says of its sums.
  const auto reports = executors.foreign != nullptr ? std::vector<ir::NodeReport>{} : executable->nodes();
  const auto manner_of = [&](std::size_t n, const core::Segment& segment) {
    const std::vector<ir::Sum> sums = sums_of(graph, reports, n);
    return bounds::Manner{profile::arithmetic_of(executors, sums, segment.graph), executors.flushes_subnormals};
  };
  const auto evaluate = [](ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                           const bounds::Manner& manner) {
    return judges::evaluate_elements(reference, segment, fed, manner, nullptr);
  };
  run.spreads = bounds::runs::spread_of(executors.reference, graph, of.feeds, graph.results(), {}, {usual.runs, lambda},
                                        evaluate, manner_of);
  return run;
}

Limited limits_of(const WholeRun& run, ir::Value value, const ir::Tensor& got, double lambda) {
  const bounds::runs::Spread& spread = run.spreads.at(value);
  const double unit = ir::unit_roundoff(core::compute_dtype(got.dtype()));
  compare::Allowed allowed = expected::hold_to_runs(spread, got, {.unit = unit}, lambda).allowed;
  compare::Limits limits = *allowed.limits;
  bounds::runs::add_choices(spread, limits);
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return limited_by(allowed, spread.truth, got);
}

}  // namespace plumb::parity::checks::relations
