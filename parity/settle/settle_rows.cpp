#include "parity/settle/settle_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/settle/replay.hpp"

namespace plumb::parity::settle {
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
    if (open_.limits_only) return;
    const double limit = open_.limits.probable[i];
    if (error <= limit_.with(limit, size)) return;
    const double stored = open_.allowed.storage * compare::ulp_of(truth, open_.dtype);
    const std::optional<bool> equal = equals_replay(row, i, (limit_.with(limit, size) - stored) / 2 + stored);
    if (equal.value_or(false)) {
      ++replayed;
      return open_.limits.widen(i, 2 * error / open_.allowed.of_limits, 0);  // clearly within
    }
    if (equal && row.replays_every_step()) return;  // only what cannot be replayed may creep (verdict.md V23)
    if (const double most = row.wide_limit(index, truth); error <= limit_.with(most, size)) {
      ++wide;
      open_.limits.widen(i, most, chance);
    }
  }

 private:
  /// Within so much of the replay as it is before it is stored, since either may be rounded the other way; nothing
  /// where the element cannot be replayed.
  std::optional<bool> equals_replay(const Row& row, std::size_t i, double most) const {
    std::optional<bool> equal;
    if (!may_replay_) return equal;
    for (const bool fused : {false, true})
      if (const auto made = row.replay(static_cast<std::int64_t>(i), fused))
        equal = equal.value_or(false) || std::abs(open_.got[i] - *made) <= most;
    return equal;
  }

  const OpenElements& open_;
  const compare::Limit limit_;
  const bool may_replay_;
};

/// The node of a segment of one, as its rows see it. An Operation refers to its op and to its operands.
struct RowNode {
  ir::Graph wide;
  ir::Op op;
  std::vector<ir::Tensor> operands;  ///< masks and lengths as numbers, too
  bounds::ExpressionBuilder builder;
  Operation operation;

  RowNode(const Subject& subject, std::size_t k, ir::Graph widened, std::vector<ir::Tensor> numbers,
          const ir::TensorTypes& in);
};

RowNode::RowNode(const Subject& subject, std::size_t k, ir::Graph widened, std::vector<ir::Tensor> numbers,
                 const ir::TensorTypes& in)
    : wide(std::move(widened)),
      op(wide.nodes()[*wide.producer(subject.segment.graph.nodes().front().outputs[0])].op),
      operands(std::move(numbers)),
      builder(wide),
      operation{
          {builder, op, {}, {}, 0, in, {}, subject.manner.arithmetic, subject.manner.flushes_subnormals}, {}, {}} {
  const auto& outputs = subject.segment.graph.nodes().front().outputs;
  for (const ir::Value v : outputs) operation.node.out_types.push_back(subject.segment.graph.type(v));
  operation.node.output =
      static_cast<std::size_t>(std::ranges::find(outputs, subject.segment.outputs.at(k)) - outputs.begin());
  operation.y = operation.node.out_types.at(0).shape;
  for (const ir::Tensor& x : operands) operation.operands.push_back({x.as<double>(), x.shape()});
}

/// Nothing where an operand is computed inside of the segment, or complex.
std::unique_ptr<RowNode> row_node(const Subject& subject, std::size_t k, const ir::Feeds& fed) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  std::vector<ir::Tensor> operands;
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) {
    if (!graph.is_source(v)) return nullptr;
    const ir::Tensor& x = fed.at(graph.inputs()[v]);
    if (ir::is_complex(x.dtype())) return nullptr;
    operands.push_back(x.dtype() == ir::DType::f64 ? x : ir::convert(x, ir::DType::f64));
    in.push_back(graph.type(v));
  }
  return std::make_unique<RowNode>(subject, k, ir::passes::widen(graph), std::move(operands), in);
}

}  // namespace

std::optional<SharedRows> shared_rows(const Subject& subject, std::size_t k, const ir::Feeds& fed) {
  const std::shared_ptr<RowNode> node = subject.segment.graph.nodes().size() == 1 ? row_node(subject, k, fed) : nullptr;
  const auto rows = node ? find_rows(node->operation) : std::nullopt;
  if (!rows) return std::nullopt;
  SharedRows shared{.number_of = {}, .make = {}, .terms = rows->terms};
  const std::int64_t count = subject.segment.graph.type(subject.segment.outputs.at(k)).shape.elements();
  for (std::int64_t i = 0; i < count; ++i) shared.number_of.push_back(rows->number_of(i));
  shared.make = [node, make = rows->make](std::int64_t number) { return make(number); };
  return shared;
}

std::optional<cases::Settled> settle_rows(const Subject& subject, std::size_t k, const ir::Feeds& fed,
                                          const OpenElements& open) {
  const auto node = row_node(subject, k, fed);
  const auto rows = node ? find_rows(node->operation) : std::nullopt;
  if (!rows) return std::nullopt;
  Operation without_chance = node->operation;
  without_chance.node.arithmetic = bounds::without_chance(subject.manner).arithmetic;
  const auto rests = find_rows(without_chance);
  std::map<std::int64_t, std::vector<std::size_t>> by_row;
  for (const std::size_t i : open.indices) by_row[rows->number_of(static_cast<std::int64_t>(i))].push_back(i);
  const std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> all(by_row.begin(), by_row.end());
  RowSettler settler(open, core::compute_dtype(open.dtype) == ir::DType::f32);
  core::for_each_piece(all.size(), core::workers_for(all.size()), [&](std::size_t n, std::size_t) {
    const auto row = rows->make(all[n].first), rest = rests->make(all[n].first);
    for (const std::size_t i : all[n].second) settler.settle(*row, *rest, i);
  });
  return cases::Settled{.open = open.indices.size(), .replayed = settler.replayed, .wide = settler.wide};
}

}  // namespace plumb::parity::settle
