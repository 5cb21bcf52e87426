// Optimised: it loops over elements or terms.
#include "ir/ops/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "parity/bounds/attention_scores.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"
#include "parity/core/float_format.hpp"
#include "parity/element/terms/attention_row.hpp"
#include "parity/element/terms/median_term.hpp"
#include "parity/settle/inside_sum.hpp"
#include "parity/settle/rows.hpp"

namespace plumb::parity::settle {
namespace {

namespace formulas = bounds::formulas;

using ir::ops::Attention;

/// The sums of an attention and what it is of.
struct AttentionSums {
  AttentionSums(const Attention& of, const Operation& by)
      : op(of),
        operation(by),
        scores(by.node, ir::SumName::scores, bounds::has_exact_products(by.node)),
        row_sum(by.node, ir::SumName::row_sum, true),
        values(by.node, ir::SumName::values, false) {}

  const Attention op;
  const Operation& operation;
  InsideSum scores, row_sum, values;
};

/// A key that a query sees: its score, its exponential, which is 1 for the largest, and its share of the row's sum.
struct SeenKey {
  std::int64_t j = 0;
  double score = 0, weight = 0, share = 0;
  sums::ElementLimit of_dot = {};  ///< the error of the score by the sum that makes it
  double slope = 0;                ///< how far the score moves with that sum
  double fixed = 0;                ///< σ of all else that the score and its exponential are rounded by, in units of u
};

class AttentionLine : public Row {
 public:
  AttentionLine(std::shared_ptr<const AttentionSums> sums, std::int64_t row);

  std::optional<double> limit(std::int64_t index, double truth) const override;
  double wide_limit(std::int64_t index, double truth) const override;
  std::optional<double> replay(std::int64_t index, bool fused) const override;
  std::vector<double> results_without_terms(std::int64_t index, double truth) const override;
  bool overflows_in_some_order() const override;

 private:
  double unit() const { return sums_->operation.node.unit(); }
  double lambda() const { return sums_->operation.node.lambda(); }
  std::int64_t column(std::int64_t index) const {
    return element::terms::AttentionRow::column_of(sums_->operation.y, index);
  }
  SeenKey seen(std::int64_t j) const;
  float score_f32(std::int64_t j, bool fused, bool& is_known) const;
  /// The weights of the keys and, behind them, of the sink where there is one.
  std::optional<std::vector<float>> weights_f32(bool fused) const;
  /// The part of a replay that all elements of the row share.
  struct Replayed {
    std::vector<float> weights;
    float sum;
  };
  const std::optional<Replayed>& replayed_row(bool fused) const;
  element::terms::ElementSum dot(std::int64_t j) const;
  element::terms::ElementSum weighed(std::int64_t column) const;
  double share_moved(const SeenKey& key, std::int64_t column, double truth) const {
    return key.share * (row_.value(key.j, column) - truth);
  }
  /// Errors of scores in y by chance, and what they are off besides where the terms of dots creep.
  double of_scores(std::int64_t column, double truth) const;
  double of_sink(double truth) const;  ///< the error of the sink's exponential, by chance
  double creep_of_scores(std::int64_t column, double truth) const;
  double of_rescaling(double truth) const;
  double by_chance(std::int64_t column, double truth) const;  ///< all of them, and those of the other sums

  std::shared_ptr<const AttentionSums> sums_;
  element::terms::AttentionRow row_;
  std::vector<SeenKey> keys_;
  std::vector<std::size_t> group_;  ///< by place among keys_: keys that are bit for bit equal have one
  double sum_ = 0, wrong_ = 0;      ///< wrong_: the largest error of a score that matters
  double sink_ = 0,
         sink_depth_ = 0;  ///< the exponential of the sink, 0 without one, and how far it is below the largest
  element::terms::ElementSum exponentials_;
  double of_row_ = 0;
  mutable std::map<bool, std::optional<Replayed>> replayed_;  ///< a row is looked at by one thread
};

AttentionLine::AttentionLine(std::shared_ptr<const AttentionSums> sums, std::int64_t row)
    : sums_(std::move(sums)), row_(sums_->op, sums_->operation.operands, row) {
  double top = -std::numeric_limits<double>::infinity();
  for (const std::int64_t j : row_.keys()) {
    keys_.push_back(seen(j));
    top = std::max(top, keys_.back().score);
  }
  if (sums_->op.has_sinks) {
    const double sink = row_.sink();
    top = std::max(top, sink);
    sum_ = sink_ = std::exp(sink - top);
    sink_depth_ = std::max(top - sink, 0.0);
  }
  const double of_exp = formulas::error_of(ir::ops::UnaryFunction::exp);
  for (SeenKey& key : keys_) {
    exponentials_.add(key.weight = std::exp(key.score - top));
    sum_ += key.weight;
    key.fixed = std::hypot(key.fixed, key.score - top, of_exp);
  }
  of_row_ = sums_->row_sum.error(exponentials_).probable;
  std::map<std::vector<double>, std::size_t> known;
  // Beside a sink with nearly all the weight y is still made of the keys, and as wrong as their scores are.
  const double of_keys =
      std::accumulate(keys_.begin(), keys_.end(), 0.0, [](double sum, const SeenKey& key) { return sum + key.weight; });
  for (SeenKey& key : keys_) {
    key.share = key.weight / sum_;
    if (key.weight > formulas::share_that_matters * of_keys)
      wrong_ = std::max(wrong_, key.of_dot.certain + 3 * unit() * key.fixed);
    const std::span<const double> k = row_.key(key.j);
    group_.push_back(known.try_emplace({k.begin(), k.end()}, known.size()).first->second);
  }
}

/// Weights are divided by their sum at the end, and are 1 where a key is the largest so far: values are added as they
/// are.
bool AttentionLine::overflows_in_some_order() const {
  const ir::DType computed = core::compute_dtype(sums_->operation.node.out_types.at(0).dtype);
  const auto overflows = [&](const element::terms::ElementSum& sum) {
    return sums::overflows_in_some_order(sum, computed);
  };
  for (std::int64_t column = 0; column < sums_->operation.y[3]; ++column) {
    element::terms::ElementSum values;
    for (const SeenKey& key : keys_) values.add(1, row_.value(key.j, column));
    if (overflows(values)) return true;
  }
  return std::ranges::any_of(keys_, [&](const SeenKey& key) { return overflows(dot(key.j)); });
}

element::terms::ElementSum AttentionLine::dot(std::int64_t j) const {
  const std::span<const double> q = row_.query(), k = row_.key(j);
  element::terms::ElementSum products;
  for (std::size_t d = 0; d < q.size(); ++d) products.add(q[d], k[d]);
  return products;
}

SeenKey AttentionLine::seen(std::int64_t j) const {
  const Attention& op = sums_->op;
  const element::terms::ElementSum products = dot(j);
  SeenKey key{.j = j, .of_dot = sums_->scores.error(products), .slope = std::abs(row_.scale())};
  double total = 0;
  for (const element::terms::Product& term : products.terms) total += term.value();
  const double scaled = row_.scale() * total, bias = row_.bias(j);
  double capped = scaled;
  key.fixed = scaled;
  if (op.softcap > 0) {
    capped = op.softcap * std::tanh(scaled / op.softcap);
    const double nearest = std::max(std::abs(scaled) - key.slope * key.of_dot.certain, 0.0) / op.softcap;
    const double slope = formulas::slope_of_softcap(nearest);
    key.fixed = std::hypot(slope * scaled, formulas::error_of_softcap * capped);
    key.slope *= slope;
  }
  key.score = capped + bias;
  if (op.has_bias) key.fixed = std::hypot(key.fixed, bias, key.score);
  key.of_dot.probable *= key.slope;
  key.of_dot.certain *= key.slope;
  return key;
}

element::terms::ElementSum AttentionLine::weighed(std::int64_t column) const {
  element::terms::ElementSum products;
  for (const SeenKey& key : keys_) products.add(key.weight, row_.value(key.j, column));
  return products;
}

/// A sink is a key of value 0 whose score is exact.
double AttentionLine::of_sink(double truth) const {
  if (sink_ == 0) return 0;
  const double of_exp = formulas::error_of(ir::ops::UnaryFunction::exp);
  return lambda() * unit() * sink_ / sum_ * std::abs(truth) * std::hypot(sink_depth_, of_exp);
}

double AttentionLine::of_scores(std::int64_t column, double truth) const {
  std::vector<double> moved(keys_.size(), 0.0), most(keys_.size(), 0.0);  // by group
  for (std::size_t n = 0; n < keys_.size(); ++n) {
    const SeenKey& key = keys_[n];
    if (key.share == 0) continue;
    moved[group_[n]] += share_moved(key, column, truth);
    most[group_[n]] = std::max(most[group_[n]], std::hypot(key.of_dot.probable, lambda() * unit() * key.fixed));
  }
  double variance = 0;
  for (std::size_t g = 0; g < moved.size(); ++g) variance += moved[g] * most[g] * moved[g] * most[g];
  return std::hypot(std::sqrt(variance), of_sink(truth));
}

double AttentionLine::creep_of_scores(std::int64_t column, double truth) const {
  double creep = 0;
  for (const SeenKey& key : keys_)
    if (key.share > 0)
      creep += std::abs(share_moved(key, column, truth)) *
               (key.slope * sums_->scores.wide_error(dot(key.j)) - key.of_dot.probable);
  return std::max(creep, 0.0);
}

double AttentionLine::of_rescaling(double truth) const {
  const auto block = static_cast<double>(sums_->values.rescale());
  const double scaled = block > 0 ? std::ceil(static_cast<double>(keys_.size()) / block) : 0;
  const double of_sink = sums_->op.has_sinks ? 3 : 0;  // it comes last: both sums are scaled, and it is added to one
  return lambda() * unit() * std::abs(truth) * std::sqrt(2 * scaled + of_sink);
}

double AttentionLine::by_chance(std::int64_t column, double truth) const {
  const double of_values = sums_->values.error(weighed(column)).probable;
  const double of_sums = std::hypot(truth * of_row_, of_values) / sum_;
  return std::hypot(of_scores(column, truth), of_rescaling(truth), of_sums);
}

std::optional<double> AttentionLine::limit(std::int64_t index, double truth) const {
  if (keys_.empty()) return 0;
  if (!(wrong_ <= formulas::well_known) || !std::isfinite(sum_)) return std::nullopt;
  return formulas::all_orders(wrong_) *
         (by_chance(column(index), truth) + formulas::roundings_of_attention * unit() * std::abs(truth));
}

double AttentionLine::wide_limit(std::int64_t index, double truth) const {
  const double size = std::abs(truth);
  const element::terms::ElementSum values = weighed(column(index));
  const double of_row = sums_->row_sum.wide_error(exponentials_) - of_row_;
  const double of_values = sums_->values.wide_error(values) - sums_->values.error(values).probable;
  const double creep = creep_of_scores(column(index), truth) + (size * of_row + of_values) / sum_;
  return formulas::all_orders(wrong_) *
         (by_chance(column(index), truth) + creep + formulas::roundings_of_attention * unit() * size);
}

/// Without a weight in their sum, and without a weighed value.
std::vector<double> AttentionLine::results_without_terms(std::int64_t index, double truth) const {
  std::vector<double> shares, values;
  for (const SeenKey& key : keys_) {
    shares.push_back(key.share);
    values.push_back(key.share * row_.value(key.j, column(index)));
  }
  const auto share = element::terms::median_of_lesser(std::move(shares)),
             value = element::terms::median_of_lesser(std::move(values));
  if (!share || !value) return {};
  return {truth / (1 - *share), truth - *value};
}

float AttentionLine::score_f32(std::int64_t j, bool fused, bool& is_known) const {
  const std::vector<float> q(row_.query().begin(), row_.query().end());
  const std::span<const double> key = row_.key(j);
  const auto dot = sums_->scores.replay(q, std::vector<float>(key.begin(), key.end()), fused);
  is_known = is_known && dot.has_value();
  const auto cap = static_cast<float>(sums_->op.softcap);
  float score = static_cast<float>(row_.scale()) * dot.value_or(0);
  if (cap > 0) score = cap * std::tanh(score / cap);
  return sums_->op.has_bias ? score + static_cast<float>(row_.bias(j)) : score;
}

std::optional<std::vector<float>> AttentionLine::weights_f32(bool fused) const {
  std::vector<float> weights;
  bool is_known = true;
  for (const SeenKey& key : keys_) weights.push_back(score_f32(key.j, fused, is_known));
  if (!is_known || weights.empty()) return std::nullopt;
  if (sums_->op.has_sinks) weights.push_back(static_cast<float>(row_.sink()));
  const float top = *std::ranges::max_element(weights);
  for (float& one : weights) one = std::exp(one - top);
  return weights;
}

const std::optional<AttentionLine::Replayed>& AttentionLine::replayed_row(bool fused) const {
  const auto [at, is_new] = replayed_.try_emplace(fused);
  if (!is_new) return at->second;
  auto weights = weights_f32(fused);
  if (!weights) return at->second;
  float of_sink = 0;
  if (sums_->op.has_sinks) {
    of_sink = weights->back();
    weights->pop_back();
  }
  if (const auto sum = sums_->row_sum.replay(*weights, fused))
    at->second = Replayed{std::move(*weights), *sum + of_sink};
  return at->second;
}

/// Scales by the last maximum where the kernel has a running one: roundings are relative, whatever the scale.
std::optional<double> AttentionLine::replay(std::int64_t index, bool fused) const {
  const std::optional<Replayed>& row = replayed_row(fused);
  if (!row) return std::nullopt;
  std::vector<float> values;
  for (const SeenKey& key : keys_) values.push_back(static_cast<float>(row_.value(key.j, column(index))));
  const auto sum = sums_->values.replay(row->weights, values, fused);
  if (!sum) return std::nullopt;
  return *sum / row->sum;
}

}  // namespace

std::optional<Rows> rows(const Attention& op, const Operation& operation) {
  const auto sums = std::make_shared<const AttentionSums>(op, operation);
  return Rows{
      .number_of =
          [=, y = operation.y](std::int64_t index) { return element::terms::AttentionRow::row_of(sums->op, y, index); },
      .make = [=](std::int64_t row) -> std::unique_ptr<Row> { return std::make_unique<AttentionLine>(sums, row); }};
}

}  // namespace plumb::parity::settle
