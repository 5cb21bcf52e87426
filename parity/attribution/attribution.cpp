#include "parity/attribution/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace plumb::parity::attribution {
namespace {

/// The fault of a guilty node, as a clause: "it has to be exact, and is not".
std::string deed_of(const cases::NodeResult& node) {
  const compare::Comparison& own = node.local;
  if (own.worst.empty()) return "its own error is beyond what it is allowed";
  const compare::Worst& worst = own.worst.front();
  if (!std::isfinite(worst.got) || !std::isfinite(worst.expected))
    return fmt::format("it gives {:.6g} where its inputs make {:.6g}", worst.got, worst.expected);
  if (std::isinf(worst.ratio)) return "it has to be exact, and is not";
  if (own.agrees())
    return fmt::format("its own error, {:.3g} times its bound, is more than its rule allows", worst.ratio);
  return fmt::format("its own error is {:.3g} times its bound", worst.ratio);
}

std::string rest_of(const cases::CaseResult& result, const cases::NodeResult& first) {
  std::size_t guilty = 0, inherit = 0;
  for (const cases::NodeResult& node : result.nodes) {
    if (node.node <= first.node || !node.hash) continue;
    guilty += node.is_guilty;
    inherit += !node.is_guilty && node.inherited.max_abs.value > 0;
  }
  std::string text;
  if (inherit > 0) text += fmt::format("; {} after it only inherit{}", inherit, inherit == 1 ? "s" : "");
  if (guilty > 0) text += fmt::format("; {} after it {} guilty, too", guilty, guilty == 1 ? "is" : "are");
  return text;
}

/// " with a, b fused into it": any of them may be where the defect is (verdict.md V1).
std::string fused_with(const cases::CaseResult& result, const cases::NodeResult& first) {
  const std::vector<std::string> found = fused_into(result, first);
  return found.empty() ? "" : fmt::format(" with {} fused into it", fmt::join(found, ", "));
}

}  // namespace

std::vector<std::string> fused_into(const cases::CaseResult& result, const cases::NodeResult& last) {
  std::set<std::string> labels = {last.label};
  std::vector<std::string> found;
  // A node is fused into one behind it.
  for (auto node = result.nodes.rbegin(); node != result.nodes.rend(); ++node) {
    if (node->placement != ir::Placement::fused || !labels.contains(node->kernel)) continue;
    if (labels.insert(node->label).second) found.push_back(node->label);
  }
  std::ranges::reverse(found);
  return found;
}

namespace {

/// Nodes and their shares of the error of a result by their sizes, the largest first. Errors of nodes may cancel: then
/// some have a negative share, and another more than all.
using Shares = std::multimap<double, std::pair<double, std::string>, std::greater<>>;

Shares shares_of(const cases::CaseResult& result, std::size_t r) {
  Shares shares;
  for (const cases::NodeResult& node : result.nodes)
    if (r < node.blame.size() && std::abs(node.blame[r]) >= 0.005)
      shares.emplace(std::abs(node.blame[r]), std::pair(node.blame[r], node.label));
  return shares;
}

/// Where most of what an output is off in total comes from: the nodes that have more than half of it, if they are
/// known.
std::string origin_of(const cases::CaseResult& result, const cases::NodeResult& node) {
  const ir::Graph& graph = result.subject.file->graph;
  const ir::Value value = graph.nodes()[node.node].outputs[node.output];
  const auto found = std::ranges::find(graph.results(), value);
  std::string text;
  if (found != graph.results().end()) {
    double sum = 0;
    for (const auto& [size, share] : shares_of(result, static_cast<std::size_t>(found - graph.results().begin()))) {
      text += fmt::format("{}{} ({:.0f} %)", text.empty() ? "" : ", ", share.second, 100 * share.first);
      if ((sum += share.first) > 0.5) return text;
    }
  }
  return node.inherited.nmse > node.local.nmse ? "what it is fed" : node.name() + " itself";
}

}  // namespace

double relative_error(const compare::Comparison& c) {
  const bool specials_differ = c.n_nan_expected != c.n_nan_got || c.n_inf_expected != c.n_inf_got;
  if (specials_differ) return compare::not_computed;
  return c.max_abs.value == 0 ? 0 : c.rel_l2;
}

double amplification(double inherited, std::span<const double> inputs) {
  double squares = 0;
  for (const double one : inputs) squares += one * one;
  return squares == 0 ? compare::not_computed : inherited / std::sqrt(squares);
}

bool gates_total(core::Mode mode, const compare::Allowed& allowed, ir::DType dtype) {
  const bool is_handed_on = allowed.rule != compare::Allowed::Rule::within && ir::unit_roundoff(dtype) > 0;
  return mode == core::Mode::propagate && !is_handed_on;
}

std::string guilty_text(const cases::CaseResult& result) {
  const cases::NodeResult* first = cases::first_guilty(result);
  if (first == nullptr) return "";
  return fmt::format("{} ({}){}: {}{}", first->name(), first->op, fused_with(result, *first), deed_of(*first),
                     rest_of(result, *first));
}

std::string totals_text(const cases::CaseResult& result) {
  std::string text;
  if (!result.subject.file) return text;
  for (const cases::NodeResult& node : result.nodes)
    if (!node.total_beyond.empty())
      text += fmt::format("the total of {} is beyond {}; most of it comes from {}\n", node.name(), node.total_beyond,
                          origin_of(result, node));
  return text;
}

std::string blame_text(const cases::CaseResult& result) {
  std::string text;
  if (!result.subject.file) return text;
  const ir::Graph& graph = result.subject.file->graph;
  // The rounding of inputs and weights to the dtype is no node's error: shares refer to the graph in that dtype.
  const std::optional<ir::DType> dtype = result.subject.dtype;
  const std::string against = dtype ? ir::cat(" against the graph in ", ir::info(*dtype).name) : "";
  for (std::size_t r = 0; r < graph.results().size(); ++r) {
    std::string list;
    for (const auto& [size, share] : shares_of(result, r))
      list += fmt::format("{}{:.0f} % from {}", list.empty() ? "" : ", ", 100 * share.first, share.second);
    if (!list.empty()) text += fmt::format("error of {}{}: {}\n", graph.name(graph.results()[r]), against, list);
  }
  return text;
}

}  // namespace plumb::parity::attribution
