// One coordinate of one query's mean of the values, weighted by a softmax over the keys that it may see.
// Optimised: it loops over elements or terms.
#include "ir/ops/attention.hpp"

#include <algorithm>

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {
namespace {

/// Where the numbers of one query of one head are.
struct Query {
  const ir::ops::Attention& op;
  const Call& call;
  std::size_t heads_axis = op.layout == ir::ops::AttentionLayout::bhsd ? 1 : 2, length_axis = 3 - heads_axis;
  std::int64_t b = call.at(0), head = call.at(heads_axis), i = call.at(length_axis);
  std::int64_t kv_head = head / (call.in(0)[heads_axis] / call.in(1)[heads_axis]);
  std::int64_t queries = call.in(0)[length_axis], keys = call.in(1)[length_axis], width = call.in(0)[3];

  /// The flat index of coordinate `d` of a row.
  std::int64_t index(std::size_t operand, std::int64_t in_head, std::int64_t row, std::int64_t d) const {
    const std::int64_t by_head[] = {b, in_head, row, d}, by_row[] = {b, row, in_head, d};
    return index_of(heads_axis == 1 ? by_head : by_row, call.in(operand));
  }
  Number of_score(std::size_t operand, std::int64_t j) const {
    const std::int64_t at[] = {b, head, i, j};
    return call.stretched(operand, at);
  }

  std::size_t bias_operand() const { return op.has_mask ? 4 : 3; }
  std::size_t lengths_operand() const { return op.has_bias ? bias_operand() + 1 : bias_operand(); }

  /// The keys in use.
  std::int64_t length() const {
    if (!op.has_kv_lengths) return keys;
    return std::clamp<std::int64_t>(call.whole(lengths_operand(), {b}), 0, keys);
  }

  bool sees(std::int64_t j, std::int64_t in_use) const {
    const std::int64_t p = op.query_offset ? *op.query_offset + i : in_use - queries + i;
    if (j >= in_use || (op.causal && j > p)) return false;
    if (op.left_window_size >= 0 && j < p - op.left_window_size) return false;
    if (op.right_window_size >= 0 && j > p + op.right_window_size) return false;
    if (op.has_mask && of_score(3, j).re.value == 0) return false;
    if (!op.has_bias) return true;
    const long double bias = of_score(bias_operand(), j).re.value;
    return !(std::isinf(bias) && bias < 0);
  }

  Real score(std::int64_t j, Real scale) const {
    Sum sum(ir::SumName::scores);
    call.add_products(sum, 0, {index(0, head, i, 0), 1}, 1, {index(1, kv_head, j, 0), 1}, width);
    Real s = scale * sum.total();
    const Real cap = call.attribute(op.softcap);
    if (op.softcap > 0) s = cap * function_of(ir::ops::UnaryFunction::tanh, s / cap);
    return op.has_bias ? s + of_score(bias_operand(), j).re : s;
  }
};

}  // namespace

Number element(const ir::ops::Attention& op, const Call& call) {
  const Query query{op, call};
  const Real scale = op.scale ? Real(call.attribute(*op.scale)) : Real(1) / sqrt(Real(query.width));
  std::vector<std::int64_t> seen;
  std::vector<Real> scores;
  const std::int64_t in_use = query.length();
  for (std::int64_t j = 0; j < query.keys; ++j)
    if (query.sees(j, in_use)) {
      seen.push_back(j);
      scores.push_back(query.score(j, scale));
    }
  if (seen.empty()) return {};
  Real top = scores.front();
  for (const Real s : scores) top = maximum(top, s);
  const std::size_t sinks = call.operands() - 1;
  if (op.has_sinks) top = maximum(top, call.real(sinks, {query.head}));
  Sum weights(ir::SumName::row_sum), values(ir::SumName::values);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const Real weight = exp(scores[k] - top);
    weights.add(weight);
    values.add(weight, call.number(2, query.index(2, query.kv_head, seen[k], call.at(3))).re);
  }
  if (op.has_sinks) weights.add(exp(call.real(sinks, {query.head}) - top));
  return values.total() / weights.total();
}

}  // namespace plumb::parity::element
