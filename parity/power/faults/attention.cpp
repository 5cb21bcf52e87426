// Attention in blocks of keys: running maxima, blocks that are stale, masks, the order of softcap and bias, sinks.
#include "ir/ops/attention.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "parity/core/parallel.hpp"
#include "parity/element/terms/attention_row.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/slices.hpp"

namespace plumb::parity::power::faults {
namespace {

using ir::ops::Attention;

/// The scores of one query, and what becomes of them: weights that are not divided yet, and what divides them.
struct Query {
  std::vector<double> products, biases, scores;  ///< scale·q·k; bias; the score, by key that is seen
  std::vector<double> weights;
  double top = 0, total = 0;
  double sink = 0;  ///< -inf without one
};

/// Changes weights and total of a row.
using Change = std::function<void(const Attention& op, Query& row)>;

double capped(const Attention& op, double score) {
  return op.softcap > 0 ? op.softcap * std::tanh(score / op.softcap) : score;
}

void weigh(Query& row) {
  row.top = std::max(*std::ranges::max_element(row.scores), row.sink);
  row.weights.clear();
  row.total = 0;
  for (const double s : row.scores) {
    row.weights.push_back(std::exp(s - row.top));
    row.total += row.weights.back();
  }
  row.total += std::exp(row.sink - row.top);
}

Query query_of(const Attention& op, const element::terms::AttentionRow& at, const std::vector<std::int64_t>& keys) {
  Query row;
  row.sink = at.sink();
  const auto q = at.query();
  for (const std::int64_t j : keys) {
    const auto k = at.key(j);
    double product = 0;
    for (std::size_t d = 0; d < q.size(); ++d) product += q[d] * k[d];
    row.products.push_back(at.scale() * product);
    row.biases.push_back(at.bias(j));
    row.scores.push_back(capped(op, row.products.back()) + row.biases.back());
  }
  weigh(row);
  return row;
}

/// The attention whose rows `change` has changed: the truth, and what the change makes of each row in f64.
std::optional<Numbers> with_rows(const Site& site, const Change& change) {
  constexpr double most_products = 0x1p28;
  const auto* const op = site.as<Attention>();
  if (op == nullptr || site.elements() == 0) return {};
  std::vector<ir::Tensor> wide;
  std::vector<element::terms::Operand> operands;
  for (const Operand& one : site.operands) wide.push_back(ir::convert(one.now, ir::DType::f64));
  for (const ir::Value v : site.segment.graph.nodes().front().inputs)
    operands.push_back({wide[v].as<double>(), wide[v].shape()});
  const ir::Shape& y = site.type.shape;
  const auto n = op->extents(operands[0].shape, operands[1].shape, operands[2].shape);
  if (static_cast<double>(n.B * n.Hq) * static_cast<double>(n.Sq * n.Sk) * static_cast<double>(n.D + 2 * n.Dv) >
      most_products)
    return {};
  Numbers faulty = site.truth;
  const auto columns = static_cast<std::size_t>(y[3]);
  const std::size_t rows = faulty.size() / columns;
  core::for_each_piece(rows, core::workers_for(rows), [&](std::size_t r, std::size_t) {
    const auto first = static_cast<std::int64_t>(r * columns);
    const element::terms::AttentionRow at(*op, operands, element::terms::AttentionRow::row_of(*op, y, first));
    const std::vector<std::int64_t> keys = at.keys();
    if (keys.empty()) return;
    const Query right = query_of(*op, at, keys);
    Query wrong = right;
    change(*op, wrong);
    for (std::size_t d = 0; d < columns; ++d) {
      double is = 0, becomes = 0;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const double v = at.value(keys[k], static_cast<std::int64_t>(d));
        is += right.weights[k] * v;
        becomes += wrong.weights[k] * v;
      }
      faulty[r * columns + d] += becomes / wrong.total - is / right.total;
    }
  });
  return site.carried(std::move(faulty));
}

/// Keys that a kernel takes at once: after so many its running maximum may move.
std::size_t block_of(const Site& site) {
  for (const ir::Sum& sum : site.sums)
    if (sum.rescale > 0) return static_cast<std::size_t>(sum.rescale);
  const auto* const op = site.as<Attention>();
  if (op == nullptr || site.operands.size() < 2) return 64;
  const ir::Shape& k = site.operands[1].now.shape();
  const auto keys = static_cast<std::size_t>(k[op->layout == ir::ops::AttentionLayout::bhsd ? 2 : 1]);
  return std::clamp<std::size_t>(keys / 2, 1, 64);
}

/// Weights of the keys before a block in which the maximum moves that were not scaled then: at its first or last move.
void forget_rescale(Query& row, std::size_t block, bool is_first) {
  std::optional<std::size_t> at;
  double top = 0, before = 0;
  for (std::size_t begin = 0; begin < row.scores.size(); begin += block) {
    const auto end = std::min(row.scores.size(), begin + block);
    const double most = *std::max_element(row.scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                          row.scores.begin() + static_cast<std::ptrdiff_t>(end));
    if (begin > 0 && most > top && !(is_first && at)) {
      at = begin;
      before = most - top;
    }
    top = begin == 0 ? most : std::max(top, most);
  }
  if (!at) return;
  for (std::size_t k = 0; k < *at; ++k) row.weights[k] *= std::exp(before);
}

std::optional<Numbers> first_rescale_forgotten(const Site& site) {
  return with_rows(site, [block = block_of(site)](const Attention&, Query& row) { forget_rescale(row, block, true); });
}

std::optional<Numbers> last_rescale_forgotten(const Site& site) {
  return with_rows(site, [block = block_of(site)](const Attention&, Query& row) { forget_rescale(row, block, false); });
}

/// The row sum without what the last block of keys adds.
std::optional<Numbers> row_sum_short(const Site& site) {
  return with_rows(site, [block = block_of(site)](const Attention&, Query& row) {
    const std::size_t last = (row.weights.size() - 1) / block * block;
    if (last == 0) return;
    for (std::size_t k = last; k < row.weights.size(); ++k) row.total -= row.weights[k];
  });
}

std::optional<Numbers> softcap_after_bias(const Site& site) {
  const auto* const op = site.as<Attention>();
  if (op == nullptr || !op->has_bias || op->softcap <= 0) return {};
  return with_rows(site, [](const Attention& attention, Query& row) {
    for (std::size_t k = 0; k < row.scores.size(); ++k)
      row.scores[k] = capped(attention, row.products[k] + row.biases[k]);
    weigh(row);
  });
}

/// Rows whose sink counts so many times.
std::optional<Numbers> sinks_counted(const Site& site, double times) {
  const auto* const op = site.as<Attention>();
  if (op == nullptr || !op->has_sinks) return {};
  return with_rows(site,
                   [times](const Attention&, Query& row) { row.total += (times - 1) * std::exp(row.sink - row.top); });
}

std::optional<Numbers> sink_dropped(const Site& site) { return sinks_counted(site, 0); }

/// As where two workgroups share the keys of a row, and each begins with the sink.
std::optional<Numbers> sink_in_every_split(const Site& site) { return sinks_counted(site, 2); }

template <int bits>
std::optional<Numbers> coarse_weights(const Site& site) {
  return with_rows(site, [](const Attention&, Query& row) {
    row.total = std::exp(row.sink - row.top);
    for (std::size_t k = 0; k < row.weights.size(); ++k)
      row.total += row.weights[k] *= 1 + std::ldexp(noise(row.scores[k] - row.top), -bits);
  });
}

/// The last block of keys, or of values, is the one before it.
std::optional<Numbers> stale_block(const Site& site, std::string_view name) {
  const auto* const op = site.as<Attention>();
  const auto operand = site.operand(name);
  if (op == nullptr || !operand) return {};
  auto inputs = site.inputs();
  ir::Tensor& x = inputs[*operand];
  const std::size_t axis = op->layout == ir::ops::AttentionLayout::bhsd ? 2 : 1;
  const auto block = static_cast<std::int64_t>(block_of(site)), keys = x.shape()[axis];
  const std::int64_t last = (keys - 1) / block * block;
  if (last == 0) return {};
  const ir::Lines lines = ir::along(x.shape(), static_cast<std::int64_t>(axis));
  const std::size_t width = ir::info(x.dtype()).bytes;
  for (std::int64_t line = 0; line < lines.count(); ++line)
    for (std::int64_t k = last; k < keys; ++k)
      std::ranges::copy(x.bytes().subspan(lines.at(line, k - block) * width, width),
                        x.bytes().subspan(lines.at(line, k) * width, width).begin());
  return site.on(inputs);
}

std::optional<Numbers> stale_keys(const Site& site) { return stale_block(site, "k"); }
std::optional<Numbers> stale_values(const Site& site) { return stale_block(site, "v"); }

/// A mask, a causal edge or a window that lies a tile of 16 keys late.
std::optional<Numbers> mask_tile_late(const Site& site) {
  constexpr std::int64_t tile = 16;
  const auto* const attention = site.as<Attention>();
  if (attention == nullptr || site.operands.size() < 3) return {};
  if (const auto mask = site.operand("mask"); mask && !site.operands[*mask].now.shape().empty()) {
    auto inputs = site.inputs();
    const auto width = static_cast<std::size_t>(inputs[*mask].shape().back());
    const Numbers right = numbers_of(inputs[*mask]);
    Numbers late = right;
    for (std::size_t i = 0; i < late.size(); ++i)
      if (i % width >= tile) late[i] = right[i - tile];
    inputs[*mask] = tensor_of(inputs[*mask].type(), late);
    return site.on(inputs);
  }
  Attention op = *attention;
  const auto shape = [&](std::size_t k) -> const ir::Shape& { return site.operands[k].now.shape(); };
  if (op.right_window_size >= 0)
    op.right_window_size += tile;
  else if (op.causal && !op.has_kv_lengths)
    op.query_offset = op.query_offset.value_or(op.extents(shape(0), shape(1), shape(2)).Sk -
                                               op.extents(shape(0), shape(1), shape(2)).Sq) +
                      tile;
  else
    return {};
  return site.by(op);
}

constexpr Fault of_attention[] = {
    {"first_rescale_forgotten", "sums are not scaled when the maximum moves first", Attention::name, true,
     first_rescale_forgotten},
    {"last_rescale_forgotten", "sums are not scaled when the maximum moves last", Attention::name, true,
     last_rescale_forgotten},
    {"row_sum_short", "the sum of weights is without the last block of keys", Attention::name, true, row_sum_short},
    {"stale_keys", "the last block of keys is the one before it", Attention::name, true, stale_keys},
    {"stale_values", "the last block of values is the one before it", Attention::name, true, stale_values},
    {"mask_tile_late", "a mask, a causal edge or a window lies 16 keys late", Attention::name, true, mask_tile_late},
    {"softcap_after_bias", "the softcap saturates score and bias together", "attention with softcap and bias", true,
     softcap_after_bias},
    {"sink_dropped", "the sink has no weight", "attention with sinks", true, sink_dropped},
    {"sink_in_every_split", "the sink counts once for each of two parts of the keys", "attention with sinks", true,
     sink_in_every_split},
    {"attention_exp_14_bits", "e^x is off by up to 2^-14 of itself", Attention::name, true, coarse_weights<14>},
    {"attention_exp_18_bits", "e^x is off by up to 2^-18 of itself", Attention::name, false, coarse_weights<18>},
};

}  // namespace

std::span<const Fault> faults_of_attention() { return of_attention; }

}  // namespace plumb::parity::power::faults
