// Scores of attention by products, comparisons and a softmax of their own.
#include "ir/formats/onnx/compose/scores.hpp"

#include <cmath>
#include <limits>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;
using ops::Comparison;

constexpr double infinity = std::numeric_limits<double>::infinity();

Ref times(NodeReader& node, Ref x, double factor) {
  return binary(node, BinaryFunction::multiply, x, node.scalar(node.dtype(x), factor));
}

/// a [B, Hq, S, K] times b [B, Hk, ..] of the head that each of a's reads.
Ref by_heads(NodeReader& node, Ref a, Ref b, bool transpose_b) {
  const Shape x = node.shape(a), y = node.shape(b);
  require(x.rank() == 4 && y.rank() == 4 && y[1] >= 1 && x[1] % y[1] == 0, "multiplies ", node.type(a), " and ",
          node.type(b));
  if (x[1] == y[1]) return node.add(ops::Matmul{.transpose_b = transpose_b, .output_dtype = {}}, {a, b});
  const Ref grouped = node.reshape(a, {x[0], y[1], x[1] / y[1], x[2], x[3]});
  const Ref shared = node.reshape(b, {y[0], y[1], 1, y[2], y[3]});
  const Ref product = node.add(ops::Matmul{.transpose_b = transpose_b, .output_dtype = {}}, {grouped, shared});
  return node.reshape(product, {x[0], x[1], x[2], node.shape(product).back()});
}

/// Joins conditions, of which there may be none.
class Conditions {
 public:
  explicit Conditions(NodeReader& node) : node_(node) {}

  void add(Ref condition) { all_ = all_ ? binary(node_, BinaryFunction::logical_and, *all_, condition) : condition; }
  std::optional<Ref> all() const { return all_; }

 private:
  NodeReader& node_;
  std::optional<Ref> all_;
};

/// i64 [Sq, Sk]: how far key j is behind query i, where the last query stands at the last of `queries` keys.
Ref distances(NodeReader& node, std::int64_t queries, std::int64_t keys) {
  const TensorType type{DType::i64, {queries, keys}};
  node.take(type);
  Tensor made(type);
  auto* to = made.as<std::int64_t>().data();
  for (std::int64_t i = 0; i < queries; ++i)
    for (std::int64_t j = 0; j < keys; ++j) *to++ = j - i + queries;
  return node.constant(std::move(made));
}

/// Which keys a query sees, but for what a bias of −inf hides: query i stands at length − Sq + i.
std::optional<Ref> seen(NodeReader& node, const AttentionParts& parts) {
  const Shape q = node.shape(parts.q), k = node.shape(parts.k);
  Conditions seen(node);
  if (parts.mask) seen.add(*parts.mask);
  const auto compare = [&](Comparison function, Ref a, Ref b) { seen.add(node.add(ops::Compare{function}, {a, b})); };
  const Ref length = parts.lengths ? node.reshape(node.cast(*parts.lengths, DType::i64), {q[0], 1, 1, 1})
                                   : node.constant(Tensor::of<std::int64_t>({}, {parts.past + q[2]}));
  if (parts.lengths) {
    std::vector<std::int64_t> keys;
    for (std::int64_t j = 0; j < k[2]; ++j) keys.push_back(j);
    compare(Comparison::less, node.constant(keys), length);
  }
  if (!parts.has_positions()) return seen.all();
  const Ref distance = distances(node, q[2], k[2]);
  const auto shifted = [&](std::int64_t by) {
    return binary(node, BinaryFunction::add, length, node.constant(Tensor::of<std::int64_t>({}, {by})));
  };
  if (parts.causal) compare(Comparison::less_equal, distance, length);
  if (parts.left >= 0) compare(Comparison::greater_equal, distance, shifted(-parts.left));
  if (parts.right >= 0) compare(Comparison::less_equal, distance, shifted(parts.right));
  return seen.all();
}

}  // namespace

Scores scores_of(NodeReader& node, const AttentionParts& parts, DType precision) {
  const DType dtype = node.dtype(parts.q);
  const double scale = parts.scale.value_or(1 / std::sqrt(static_cast<double>(node.shape(parts.q)[3])));
  Scores scores{.precision = precision};
  scores.products = by_heads(node, times(node, parts.q, scale), parts.k, true);
  scores.capped = scores.products;
  if (parts.softcap > 0) {
    const Ref ratio = binary(node, BinaryFunction::divide, scores.products, node.scalar(dtype, parts.softcap));
    scores.capped = times(node, unary(node, ops::UnaryFunction::tanh, ratio), parts.softcap);
  }
  scores.biased = scores.capped;
  if (parts.bias) scores.biased = binary(node, BinaryFunction::add, scores.capped, *parts.bias);
  Conditions allowed(node);
  if (const auto condition = seen(node, parts)) {
    allowed.add(*condition);
    scores.biased = node.add(ops::Where{}, {*condition, scores.biased, node.scalar(dtype, -infinity)});
  }
  if (parts.bias)
    allowed.add(node.add(ops::Compare{Comparison::not_equal}, {*parts.bias, node.scalar(dtype, -infinity)}));
  if (const auto condition = allowed.all())
    if (const Shape& shape = node.shape(*condition); !shape.empty())
      scores.sees_any = node.add(ops::Reduce{.function = ops::ReduceFunction::max, .axes = {-1}}, {*condition});
  return scores;
}

Ref Scores::weights(NodeReader& node) const {
  const DType dtype = node.dtype(biased);
  const Ref softmax = node.cast(node.add(ops::Softmax{}, {node.cast(biased, precision)}), dtype);
  if (!sees_any) return softmax;
  return node.add(ops::Where{}, {*sees_any, softmax, node.scalar(dtype, 0)});
}

Ref Scores::stage(NodeReader& node, std::int64_t mode) const {
  return mode == 0 ? products : mode == 1 ? capped : mode == 2 ? biased : weights(node);
}

Ref weighted_values(NodeReader& node, const AttentionParts& parts, Ref weights) {
  return by_heads(node, weights, parts.v, false);
}

}  // namespace plumb::ir::from_onnx
