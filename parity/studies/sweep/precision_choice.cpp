// Which nodes may run in f16: by how their weights oscillate, or greedily by error for time saved within a budget.
#include "parity/studies/sweep/precision_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/cost.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/conv.hpp"

namespace plumb::parity::studies::sweep {
namespace {

constexpr std::int64_t most_columns = 768;  // The heuristic's number: it is its authors', not ours.

double worst_square(const Candidate& candidate) {
  double worst = 0;
  for (const double error : candidate.errors) worst = std::max(worst, error * error);
  return worst;
}

/// The numbers of a param or a constant.
std::optional<ir::TensorView> known(const ir::Graph& graph, const ir::Feeds& feeds, ir::Value v) {
  if (graph.is_source(v)) {
    if (v < graph.inputs().size()) return std::nullopt;
    return ir::fed(graph, feeds, v);
  }
  const ir::Op& op = graph.nodes()[*graph.producer(v)].op;
  if (!op.is<ir::ops::Constant>()) return std::nullopt;
  return ir::TensorView(graph.type(v), op.as<ir::ops::Constant>().data);
}

}  // namespace

double oscillation(const ir::TensorView& weight) {
  double steps = 0, sizes = 0;
  const ir::Tensor wide = ir::convert(weight, ir::DType::f64);
  const auto w = wide.as<double>();
  if (w.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i + 1 < w.size(); ++i) steps += std::abs(w[i + 1] - w[i]);
  for (const double x : w) sizes += std::abs(x);
  const auto n = static_cast<double>(w.size());
  return (steps / (n - 1)) / (sizes / n);
}

std::vector<Candidate> candidates_of(const ir::Graph& graph, const ir::Feeds& feeds, ir::passes::Precision precision) {
  std::vector<Candidate> found;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    if (!ir::passes::why_not(graph, node, precision).empty()) continue;
    const ir::Shape& y = graph.type(node.outputs[0]).shape;
    Candidate one{.node = n, .label = node.label, .op = std::string(node.op.name())};
    one.flops = ir::cost_of(graph, node).flops;
    one.columns = node.op.is<ir::ops::Conv>() ? y[1] : y.back();
    const auto weight = known(graph, feeds, node.inputs[1]);
    if (weight && ir::is_float(weight->dtype())) one.oscillation = oscillation(*weight);
    found.push_back(std::move(one));
  }
  return found;
}

std::string refusal_by_oscillation(const Candidate& candidate, double threshold) {
  if (!candidate.oscillation) return "its second operand is no weight";
  if (!(*candidate.oscillation < threshold))
    return ir::cat("its weight oscillates by ", *candidate.oscillation, ", at least ", threshold);
  if (candidate.columns > most_columns) return ir::cat("it has ", candidate.columns, " columns, over ", most_columns);
  return "";
}

std::vector<std::size_t> candidates_within_budget(const std::vector<Candidate>& candidates,
                                                  const std::vector<double>& floors, double budget) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto gain = [&](std::size_t i) { return candidates[i].saved_ns.value_or(std::max(candidates[i].flops, 1.0)); };
  const auto price = [&](std::size_t i) { return worst_square(candidates[i]) / gain(i); };
  std::erase_if(order, [&](std::size_t i) { return !(gain(i) > 0); });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return price(a) < price(b); });
  std::vector<double> spent;
  for (const double floor : floors) spent.push_back(floor * floor);
  std::vector<std::size_t> chosen;
  for (const std::size_t i : order) {
    std::vector<double> with = spent;
    for (std::size_t k = 0; k < with.size(); ++k) with[k] += candidates[i].errors[k] * candidates[i].errors[k];
    if (!std::ranges::all_of(with, [&](double square) { return square <= budget * budget; })) continue;
    spent = with;
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace plumb::parity::studies::sweep
