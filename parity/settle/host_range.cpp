// Holds the host's own run of a segment, node by node, to what plain chains of roundings may come to.
#include "parity/settle/host_range.hpp"

#include <algorithm>
#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/settle/feeds.hpp"

namespace plumb::parity::settle {
namespace {

/// Whether an element of a node's result is not finite where its truth is, 0 where that is not, or further off than
/// roundings explain.
bool misses(const bounds::Bounded& bounded, std::size_t k, const ir::Tensor& native) {
  const compare::Allowed& allowed = bounded.allowed.at(k);
  const ir::Tensor came = ir::passes::widen(native);
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>(), y = came.as<double>();
  const compare::Limit limit(allowed, native.dtype());
  const double least = core::float_format(native.dtype()).smallest_normal();
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(truth[i])) continue;
    if (!std::isfinite(y[i])) return true;
    const bool is_within = allowed.rule == compare::Allowed::Rule::within;
    if (is_within && !(std::abs(y[i] - truth[i]) <= certain_at(limit, truth[i], i))) return true;
    if (!is_within && y[i] == 0 && truth[i] != 0 && std::abs(truth[i]) < least) return true;
  }
  return false;
}

/// Whether any of several nodes misses by itself. One without a model of its own may.
bool any_node_misses(const Subject& subject) {
  core::Segment every = subject.segment;
  every.outputs.clear();
  for (const ir::Node& node : every.graph.nodes())
    every.outputs.insert(every.outputs.end(), node.outputs.begin(), node.outputs.end());
  const core::Evaluated made = core::evaluate(subject.reference, every, native_feed(subject));
  const auto native = [&](ir::Value v) {
    const auto at = std::ranges::find(every.outputs, v);
    if (at == every.outputs.end()) return ir::Tensor(subject.inputs[v]);
    return made.outputs[static_cast<std::size_t>(at - every.outputs.begin())];
  };
  for (std::size_t n = 0; n < every.graph.nodes().size(); ++n) try {
      const core::Segment node = core::segment_of(every.graph, n);
      const auto wide = [&](ir::Value v) { return ir::passes::widen(native(v)); };
      const bounds::Bounded bounded = bounds::evaluate_bounded(subject.reference, node, wide, bounds::Manner{});
      const std::vector<ir::Value>& outputs = every.graph.nodes()[n].outputs;
      for (std::size_t k = 0; k < outputs.size(); ++k)
        if (ir::is_float(every.graph.type(outputs[k]).dtype) && misses(bounded, k, native(outputs[k]))) return true;
    } catch (const bounds::NoModel&) {
      return true;
    }
  return false;
}

}  // namespace

double certain_at(const compare::Limit& limit, double truth, std::size_t i) {
  return limit.knows_certain() ? limit.certain_at(std::abs(truth), i) : limit.at(std::abs(truth), i);
}

HostRange host_range(const Subject& subject, std::size_t k) {
  if (subject.segment.graph.nodes().size() > 1) return {.is_left = any_node_misses(subject)};
  const bounds::Manner chains;
  const bounds::Bounded bounded =
      bounds::evaluate_bounded(subject.reference, subject.segment, widened_feeds(subject), chains);
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>();
  const compare::Limit limit(bounded.allowed.at(k), subject.segment.graph.type(subject.segment.outputs.at(k)).dtype);
  HostRange range{.is_left = true, .certain = std::vector<double>(truth.size())};
  for (std::size_t i = 0; i < truth.size(); ++i) range.certain[i] = certain_at(limit, truth[i], i);
  return range;
}

}  // namespace plumb::parity::settle
