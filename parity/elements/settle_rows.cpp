#include "parity/elements/settle_rows.hpp"

#include <atomic>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/elements/replay.hpp"
#include "parity/elements/rows.hpp"

namespace plumb::parity::elements {
namespace {

/// Settles elements of one row after the other; what it counts is for all.
class RowSettler {
 public:
  RowSettler(const OpenElements& open, bool may_replay)
      : open_(open), limit_(open.allowed, open.dtype), may_replay_(may_replay) {}

  std::atomic<std::uint64_t> replayed = 0, wide = 0;

  /// `rest` is the row as it is without chance.
  void settle(const Row& row, const Row& rest, std::size_t i) {
    const auto index = static_cast<std::int64_t>(i);
    const double truth = open_.truth[i], size = std::abs(truth), error = std::abs(open_.got[i] - truth);
    const auto found = row.limit(index, truth), fixed = rest.limit(index, truth);
    if (!found || !std::isfinite(*found)) return;  // nothing is known better
    const double chance = *found - fixed.value_or(*found);
    open_.limits.tighten(i, *found, chance);
    const double limit = open_.limits.probable[i];
    if (error <= limit_.with(limit, size)) return;
    if (equals_replay(row, i, limit_.with(limit, size) / 2)) {
      ++replayed;
      open_.limits.widen(i, 2 * error / open_.allowed.of_limits, 0);  // clearly within
    } else if (const double most = row.wide_limit(index, truth); error <= limit_.with(most, size)) {
      ++wide;
      open_.limits.widen(i, most, chance);
    }
  }

 private:
  bool equals_replay(const Row& row, std::size_t i, double most) const {
    if (!may_replay_) return false;
    const auto is_near = [&](bool fused) {
      const auto made = row.replay(static_cast<std::int64_t>(i), fused);
      return made && std::abs(open_.got[i] - stored_as(open_.dtype, *made)) <= most;
    };
    return is_near(false) || is_near(true);
  }

  const OpenElements& open_;
  const compare::Limit limit_;
  const bool may_replay_;
};

}  // namespace

std::optional<cases::Settled> settle_rows(const Subject& subject, const ir::Feeds& fed, const OpenElements& open) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  ir::Graph wide = ir::passes::widen(graph);
  const ir::Op op = wide.nodes()[*wide.producer(node.outputs[0])].op;
  std::vector<ir::Tensor> operands;  // masks and lengths as numbers, too
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) {
    if (!graph.is_source(v)) return std::nullopt;
    const ir::Tensor& x = fed.at(graph.inputs()[v]);
    if (ir::is_complex(x.dtype())) return std::nullopt;
    operands.push_back(x.dtype() == ir::DType::f64 ? x : ir::convert(x, ir::DType::f64));
    in.push_back(graph.type(v));
  }
  const ir::TensorType& type = graph.type(node.outputs[0]);
  bounds::ExpressionBuilder builder(wide);
  Operation operation{{builder, op, {}, {}, 0, in, {type}, subject.manner.arithmetic}, {}, type.shape};
  for (const ir::Tensor& x : operands) operation.operands.push_back({x.as<double>(), x.shape()});
  const auto rows = find_rows(operation);
  if (!rows) return std::nullopt;
  Operation without_chance = operation;
  without_chance.node.arithmetic = bounds::without_chance(subject.manner).arithmetic;
  const auto rests = find_rows(without_chance);
  std::map<std::int64_t, std::vector<std::size_t>> by_row;
  for (const std::size_t i : open.indices) by_row[rows->number_of(static_cast<std::int64_t>(i))].push_back(i);
  const std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> all(by_row.begin(), by_row.end());
  RowSettler settler(open, core::compute_dtype(type.dtype) == ir::DType::f32);
  core::for_each_piece(all.size(), core::workers_for(all.size()), [&](std::size_t n, std::size_t) {
    const auto row = rows->make(all[n].first), rest = rests->make(all[n].first);
    for (const std::size_t i : all[n].second) settler.settle(*row, *rest, i);
  });
  return cases::Settled{.open = open.indices.size(), .replayed = settler.replayed, .wide = settler.wide};
}

}  // namespace plumb::parity::elements
