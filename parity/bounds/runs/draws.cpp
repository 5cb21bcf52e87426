// Which tokens may be drawn, where logits may be off by so much.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/ops/sample.hpp"
#include "ir/raw/philox.hpp"
#include "parity/bounds/runs/choices.hpp"
#include "parity/bounds/runs/indices.hpp"
#include "parity/bounds/runs/rows.hpp"

namespace plumb::parity::bounds::runs {
namespace {

using ir::ops::Sample;

/// The tokens of one row, and what their weights may be.
class TokensOfRow {
 public:
  TokensOfRow(const Sample& op, ir::DType dtype, const Between& logits, double unit) : op_(op), dtype_(dtype) {
    const double temperature = Sample::real(dtype, op.temperature);
    for (std::size_t j = 0; j < logits.size(); ++j) {
      const auto z = [&](double logit, double sign) {
        const double quotient = logit / temperature;
        return std::isfinite(quotient) ? quotient + sign * 2 * unit * std::abs(quotient) : quotient;
      };
      z_.low.push_back(z(logits.low[j], -1));
      z_.high.push_back(z(logits.high[j], 1));
    }
    const double least_top = *std::ranges::max_element(z_.low), top = *std::ranges::max_element(z_.high);
    is_known_ = std::isfinite(least_top) && std::isfinite(top);
    const auto weight = [&](double below, double sign) {
      const double off = 2 * unit * (16 + std::abs(below));
      return below == -std::numeric_limits<double>::infinity()
                 ? 0
                 : std::floor(0x1p30 * std::exp(below) * (1 + sign * off));
    };
    for (std::size_t j = 0; j < logits.size(); ++j) {
      weights_.low.push_back(std::max(0.0, weight(z_.low[j] - top, -1)));
      weights_.high.push_back(weight(std::min(0.0, z_.high[j] - least_top), 1));
    }
    if (is_known_) cut();
  }

  bool is_known() const { return is_known_; }

  /// The tokens that these 64 random bits, over 2^64, may draw.
  std::vector<std::int64_t> drawn_by(double share) const {
    constexpr double slack = 1e-12;
    const auto sum = [](const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
    double before = 0, up_to = 0, behind = sum(weights_.low), from = sum(weights_.high);
    std::vector<std::int64_t> found;
    for (std::size_t t = 0; t < weights_.size(); ++t) {
      up_to += weights_.high[t];
      behind -= weights_.low[t];
      const bool begins = before <= (share + slack) * (before + from);
      const bool ends = (share - slack) * (up_to + std::max(behind, 0.0)) < up_to;
      if (weights_.high[t] > 0 && begins && ends) found.push_back(static_cast<std::int64_t>(t));
      before += weights_.low[t];
      from = std::max(0.0, from - weights_.high[t]);
    }
    return found;
  }

 private:
  /// Leaves a weight of 0 to tokens that may be left out, and none to those that are.
  void keep(const Membership& kept) {
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      if (!kept.certain[j]) weights_.low[j] = 0;
      if (!kept.possible[j]) weights_.high[j] = 0;
    }
  }

  void cut() {
    const std::size_t count = weights_.size();
    if (op_.top_k > 0 && op_.top_k < static_cast<std::int64_t>(count))
      keep(among_largest(z_, static_cast<std::size_t>(op_.top_k)));
    const double least = op_.least_weight(dtype_), share = op_.kept_share(dtype_) * 0x1p-24;
    for (std::size_t j = 0; j < count; ++j) {
      if (weights_.low[j] < least) weights_.low[j] = 0;
      if (weights_.high[j] < least) weights_.high[j] = 0;
    }
    if (share < 1) cut_to_share(share);
  }

  /// A token is kept as long as those that rank before it have less than their share.
  void cut_to_share(double share) {
    constexpr double slack = 0x1p-40;  // for sums in f64
    const double least = std::accumulate(weights_.low.begin(), weights_.low.end(), 0.0);
    const double most = std::accumulate(weights_.high.begin(), weights_.high.end(), 0.0);
    const Ranking by_high(z_.high, weights_.high), by_low(z_.low, weights_.low);
    Membership kept;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      const double at_most = by_high.weight_from(z_.low[j]) - weights_.high[j],
                   at_least = by_low.weight_above(z_.high[j]);
      kept.certain.push_back(at_most < (share - slack) * least - 1);
      kept.possible.push_back(at_least < (share + slack) * most + 1);
    }
    keep(kept);
  }

  /// Sums of weights of the largest numbers.
  class Ranking {
   public:
    Ranking(const std::vector<double>& z, const std::vector<double>& weights) : z_(descending(z)), sums_{0} {
      std::vector<std::size_t> order(z.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, std::greater<>(), [&](std::size_t j) { return z[j]; });
      for (const std::size_t j : order) sums_.push_back(sums_.back() + weights[j]);
    }
    double weight_from(double x) const { return sums_[count_from(z_, x)]; }
    double weight_above(double x) const { return sums_[count_above(z_, x)]; }

   private:
    std::vector<double> z_, sums_;
  };

  const Sample& op_;
  const ir::DType dtype_;
  Between z_, weights_;
  bool is_known_ = true;
};

}  // namespace

Choice tokens_of(const ir::Op& of, std::span<const Wavering> operands, const ir::Tensor& truth, double unit) {
  const auto& op = of.as<Sample>();
  const auto ends = operands[0].ends();
  const auto width = static_cast<std::size_t>(ends.first.shape().back());
  const std::uint32_t offset = op.has_offset ? operands[1].truth.as<std::uint32_t>()[0] : 0;
  const ir::DType dtype = unit < 0x1p-24 ? ir::DType::f64 : ir::DType::f32;
  Indices indices(truth);
  for (std::size_t row = 0; row < static_cast<std::size_t>(truth.elements()); ++row) {
    const Between logits = row_of(ends, row, width);
    if (!logits.is_known()) continue;
    if (Sample::real(dtype, op.temperature) == 0) {
      indices.set(row, largest_of(logits));
      continue;
    }
    const TokensOfRow tokens(op, dtype, logits, unit);
    if (!tokens.is_known()) continue;
    const auto words =
        ir::raw::philox_block(static_cast<std::uint64_t>(op.seed), static_cast<std::uint32_t>(op.stream), offset, row);
    std::vector<std::int64_t> drawn =
        tokens.drawn_by((static_cast<double>(words[0]) + static_cast<double>(words[1]) * 0x1p-32) * 0x1p-32);
    if (drawn.size() > 1) indices.set(row, std::move(drawn));
  }
  return indices.choice();
}

}  // namespace plumb::parity::bounds::runs
