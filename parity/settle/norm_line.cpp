#include "parity/settle/norm_line.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"
#include "parity/bounds/norm_terms.hpp"
#include "parity/core/float_format.hpp"
#include "parity/sums/double_double.hpp"

namespace plumb::parity::settle {
namespace {

namespace formulas = bounds::formulas;

/// The sums of a normalisation and what it is of.
struct NormSums {
  NormSums(const Operation& of, Normalization normalization)
      : operation(of),
        how(std::move(normalization)),
        mean(of.node, ir::SumName::mean, true),
        variance(of.node, how.centred ? ir::SumName::variance : ir::SumName::squares, false),
        merges_slices(how.centred && bounds::merges_slices(of.node.with_sum(ir::SumName::mean).arithmetic)) {}

  const Operation& operation;
  Normalization how;
  InsideSum mean, variance;
  bool merges_slices;
};

class NormLine : public Row {
 public:
  NormLine(std::shared_ptr<const NormSums> sums, std::int64_t line);

  std::optional<double> limit(std::int64_t index, double truth) const override;
  double wide_limit(std::int64_t index, double truth) const override;
  std::optional<double> replay(std::int64_t index, bool fused) const override;
  bool replays_every_step() const override { return !sums_->merges_slices; }
  bool overflows_in_some_order() const override {
    const ir::DType computed = core::compute_dtype(sums_->operation.node.out_types.at(0).dtype);
    const auto overflows = [&](const element::terms::ElementSum& sum) {
      return sums::overflows_in_some_order(sum, computed);
    };
    return (how().centred && overflows(terms_)) || overflows(squares_);
  }
  double lost(std::int64_t index) const override { return factor(how().bias, index, 0); }
  std::optional<double> truth(std::int64_t index) const override;

  /// How far the mean and the inverse deviation may be off, and what they are in the order of the kernel.
  double mean_limit(bool wide) const;
  std::optional<double> inverse_limit(bool wide) const;
  std::optional<double> replayed_mean(bool fused) const;
  std::optional<double> replayed_inverse(bool fused) const;

  /// Moments that standardise the line, in double-double; nothing where numbers are too small or too large for it.
  struct Moments {
    sums::DoubleDouble mean, inverse;
  };
  const std::optional<Moments>& moments() const;

 private:
  /// Errors of the mean and, relative to it, of the inverse deviation.
  struct Errors {
    double mean = 0, inverse = 0;
  };
  /// A line that tells nothing may have any deviation.
  bool knows_deviation() const { return by_chance().inverse < formulas::largest_known_error; }
  double count() const { return static_cast<double>(x_.size()); }
  double divisor() const { return how().epsilon_outside ? std::sqrt(variance_) + how().epsilon : deviation(); }
  double deviation() const { return std::sqrt(how().epsilon_outside ? variance_ : variance_ + how().epsilon); }
  const Normalization& how() const { return sums_->how; }
  static double factor(const std::function<double(std::int64_t)>& of, std::int64_t index, double otherwise) {
    return of ? of(index) : otherwise;
  }
  Errors errors(bool wide) const;
  const Errors& by_chance() const {
    if (!by_chance_) by_chance_ = errors(false);
    return *by_chance_;
  }
  const Errors& creeping() const {
    if (!wide_) wide_ = errors(true);
    return *wide_;
  }
  double flushed() const { return sums_->operation.node.flushed(); }  ///< numbers below it may be 0 instead
  double may_vanish(double x) const { return std::abs(x) < flushed() ? std::abs(x) : 0; }
  /// The loss by flushing in the difference of x from the mean: x itself, all that the mean may lose, two differences.
  double lost_of_difference(double x) const { return may_vanish(x) + (how().centred ? 7 * flushed() : 0); }
  double lost_of_variance() const;
  double of_rounded_differences() const;
  double lost_of(std::int64_t index) const;
  /// The part of a replay that all elements of the line share.
  struct Replayed {
    float mean = 0, rest = 0, inverse = 0;
  };
  std::optional<Replayed> replayed_line(bool fused) const;
  const std::optional<Replayed>& replayed(bool fused) const {
    const auto [line, is_new] = replayed_.try_emplace(fused);
    if (is_new) line->second = replayed_line(fused);
    return line->second;
  }
  /// The error of an element by its own roundings, of which there is a fixed number.
  double fixed(std::int64_t index, double truth) const;
  /// By how much an element moves with the mean, and with the inverse deviation relative to it.
  double center(std::int64_t index) const { return std::abs(factor(how().scale, index, 1)) / divisor(); }
  double sized(std::int64_t index) const { return std::abs(sums_->operation.x(index) - mean_) * center(index); }

  std::shared_ptr<const NormSums> sums_;
  std::vector<double> x_, d_;
  element::terms::ElementSum terms_, differences_, squares_;  ///< those of the mean, of its correction, of the variance
  double mean_ = 0, variance_ = 0, of_slice_ = 0;             ///< of_slice_: how far from means of slices numbers are
  // Made when they are first asked for: a row has one thread.
  mutable std::optional<Errors> by_chance_, wide_;
  mutable std::optional<std::optional<Moments>> moments_;
  mutable std::map<bool, std::optional<Replayed>> replayed_;
};

NormLine::NormLine(std::shared_ptr<const NormSums> sums, std::int64_t line) : sums_(std::move(sums)) {
  for (const std::int64_t i : how().lines.elements(line)) x_.push_back(sums_->operation.x(i));
  if (how().centred) mean_ = std::accumulate(x_.begin(), x_.end(), 0.0) / count();
  for (const double x : x_) {
    d_.push_back(x - mean_);
    terms_.add(x);
    differences_.add(d_.back());
    squares_.add(d_.back(), d_.back());
    variance_ += d_.back() * d_.back() / count();
    if (sums_->merges_slices) of_slice_ += 2 * std::abs(d_.back()) / count();
  }
}

NormLine::Errors NormLine::errors(bool wide) const {
  const auto of = [&](const InsideSum& sum, const element::terms::ElementSum& of_terms) {
    return (wide ? sum.wide_error(of_terms) : sum.error(of_terms).probable) / count();
  };
  const double u = sums_->operation.node.unit();
  double mean = 0, left = 0;
  if (how().centred && x_.size() > 1) {
    mean = of(sums_->mean, terms_);
    // A second sum makes up for the first mean's error, whose square is rounded with the others.
    if (sums_->mean.is_pair()) {
      left = (count() + 3) * u * mean * mean;
      mean = std::hypot(of(sums_->mean, differences_), of_rounded_differences());
    } else
      mean += 2 * u * std::abs(mean_);
  }
  const double variance = of(sums_->variance, squares_) + lost_of_variance() +
                          formulas::roundings_of_variance(sums_->merges_slices) * u * variance_ + mean * mean + left;
  return {mean, formulas::grown(formulas::error_of_inverse(variance, deviation(), divisor()))};
}

/// The loss of the variance by flushing (verdict.md V35): squares lose with the differences, the limit of their sum has
/// their own loss; the quotient and its sum with epsilon may be flushed, too.
double NormLine::lost_of_variance() const {
  if (flushed() == 0) return 0;
  double lost = 2 * flushed();
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const double off = lost_of_difference(x_[k]);
    lost += (2 * std::abs(d_[k]) + off) * off / count();
  }
  return lost;
}

/// The loss of an element itself: its difference, the standardised number before and after it is scaled, the scale
/// and the bias.
double NormLine::lost_of(std::int64_t index) const {
  const double scale = factor(how().scale, index, 1), x = sums_->operation.x(index);
  if (flushed() == 0)  // numbers below the smallest normal are rounded to a fixed place
    return sums_->operation.node.spacing() / 2 * (1 + std::abs(scale) + (how().centred ? center(index) : 0));
  return center(index) * lost_of_difference(x) + (2 + std::abs(scale)) * flushed() +
         (std::abs(x - mean_) / divisor() + flushed()) * may_vanish(scale) + may_vanish(factor(how().bias, index, 0));
}

double NormLine::fixed(std::int64_t index, double truth) const {
  const double bias = std::abs(factor(how().bias, index, 0));
  const double of_size = formulas::roundings_of_norm(how().centred) + how().roundings_of_scale;
  return lost_of(index) +
         sums_->operation.node.unit() * (of_size * sized(index) + center(index) * of_slice_ + bias + std::abs(truth));
}

const std::optional<NormLine::Moments>& NormLine::moments() const {
  if (moments_) return *moments_;
  moments_.emplace();
  sums::DoubleDouble mean, squares;
  for (const double x : how().centred ? x_ : std::vector<double>()) mean = mean + x;
  mean = mean / count();
  for (const double x : x_) {
    const sums::DoubleDouble d = x - mean;
    squares = squares + d * d;
  }
  const sums::DoubleDouble variance = squares / count(), epsilon = how().epsilon;
  const sums::DoubleDouble divisor = how().epsilon_outside ? sqrt(variance) + epsilon : sqrt(variance + epsilon);
  // Below that, squares lose more by being subnormal than what is rounded twice.
  const bool holds = divisor.high > 0x1p-450 && std::isfinite(divisor.low) && std::isfinite(mean.low);
  if (holds) moments_->emplace(Moments{mean, 1.0 / divisor});
  return *moments_;
}

std::optional<double> NormLine::truth(std::int64_t index) const {
  if (!moments()) return std::nullopt;
  const sums::DoubleDouble standard = (sums_->operation.x(index) - moments()->mean) * moments()->inverse;
  const double y = (standard * factor(how().scale, index, 1) + factor(how().bias, index, 0)).rounded();
  return std::isfinite(y) ? std::optional<double>(y) : std::nullopt;
}

std::optional<double> NormLine::limit(std::int64_t index, double truth) const {
  if (!knows_deviation()) return std::nullopt;
  return fixed(index, truth) + std::hypot(center(index) * by_chance().mean, sized(index) * by_chance().inverse);
}

double NormLine::wide_limit(std::int64_t index, double truth) const {
  const double chance = std::hypot(center(index) * by_chance().mean, sized(index) * by_chance().inverse);
  return fixed(index, truth) + chance + center(index) * (creeping().mean - by_chance().mean) +
         sized(index) * (creeping().inverse - by_chance().inverse);
}

/// With a mean of two numbers the second makes up for the first, in the differences and in their squares.
std::optional<NormLine::Replayed> NormLine::replayed_line(bool fused) const {
  const std::vector<float> x(x_.begin(), x_.end());
  const auto n = static_cast<float>(x.size());
  Replayed line;
  std::vector<float> d = x;
  if (how().centred) {
    const auto sum = sums_->mean.replay(x, fused);
    if (!sum) return std::nullopt;
    line.mean = *sum / n;
    for (float& one : d) one -= line.mean;
    const auto differences = sums_->mean.is_pair() ? sums_->mean.replay(d, fused) : 0.0f;
    if (!differences) return std::nullopt;
    line.rest = *differences / n;
  }
  const auto squares = sums_->variance.replay(d, d, fused);
  if (!squares) return std::nullopt;
  const float variance = std::max(*squares - n * line.rest * line.rest, 0.0f) / n;
  const auto epsilon = static_cast<float>(how().epsilon);
  line.inverse = how().epsilon_outside ? 1 / (std::sqrt(variance) + epsilon) : 1 / std::sqrt(variance + epsilon);
  return line;
}

std::optional<double> NormLine::replay(std::int64_t index, bool fused) const {
  const std::optional<Replayed>& line = replayed(fused);
  if (!line) return std::nullopt;
  const float standard = ((static_cast<float>(sums_->operation.x(index)) - line->mean) - line->rest) * line->inverse;
  return standard * static_cast<float>(factor(how().scale, index, 1)) +
         static_cast<float>(factor(how().bias, index, 0));
}

/// The error of the mean of the differences by rounding these, by chance. Those of equal numbers are rounded alike, so
/// that they are added before they are squared (verdict.md V13). So are those of one binade of numbers that are
/// multiples of its last place, as are all of the same size: their loss is the part of the mean below that place.
double NormLine::of_rounded_differences() const {
  const bounds::Node& node = sums_->operation.node;
  const core::FloatFormat format = core::float_format(core::compute_dtype(node.out_types.at(0).dtype));
  std::map<double, double> by_place;  // sizes of multiples
  std::vector<double> others;
  double squares = 0, sizes = 0;
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const double place = format.ulp(d_[k]), size = std::abs(d_[k]), multiple = x_[k] / place;
    sizes += size;
    if (multiple == std::trunc(multiple))
      by_place[place] += size;
    else
      others.push_back(d_[k]);
  }
  for (const auto& [place, of_place] : by_place) squares += of_place * of_place;
  std::ranges::sort(others);
  for (auto first = others.begin(); first != others.end();) {
    const auto end = std::upper_bound(first, others.end(), *first);
    const double of_equal = static_cast<double>(end - first) * std::abs(*first);
    squares += of_equal * of_equal;
    first = end;
  }
  return node.unit() * std::min(node.lambda() * std::sqrt(squares), sizes) / count();
}

/// The sum of the differences is off by the first mean's error, too, which all of them have; the sum of both means and
/// the last quotient are rounded once each.
double NormLine::mean_limit(bool wide) const {
  const bounds::Node& node = sums_->operation.node;
  const double u = node.unit(), of_sums = (wide ? creeping() : by_chance()).mean;
  double lost = flushed() > 0 ? 4 * flushed() : 0;
  for (const double x : x_) lost += may_vanish(x) / count();
  if (!sums_->mean.is_pair() || x_.size() <= 1) return of_sums + 2 * u * std::abs(mean_) + lost;
  const bounds::SumSpread spread =
      bounds::spread_of(node.with_sum(ir::SumName::mean), static_cast<std::int64_t>(x_.size()), true);
  const double of_first = sums_->mean.error(terms_).probable / count() + 2 * u * std::abs(mean_);
  return of_sums + u * std::sqrt(spread.of_square) * of_first + 2 * u * std::abs(mean_) + lost;
}

std::optional<double> NormLine::inverse_limit(bool wide) const {
  if (!knows_deviation()) return std::nullopt;
  const double of_steps = formulas::roundings_of_inverse() * sums_->operation.node.unit();
  return ((wide ? creeping() : by_chance()).inverse + of_steps) / divisor();
}

std::optional<double> NormLine::replayed_mean(bool fused) const {
  const std::optional<Replayed>& line = replayed(fused);
  return line ? std::optional<double>(line->mean + line->rest) : std::nullopt;
}

std::optional<double> NormLine::replayed_inverse(bool fused) const {
  const std::optional<Replayed>& line = replayed(fused);
  return line ? std::optional<double>(line->inverse) : std::nullopt;
}

/// The mean of a line, or its inverse deviation: one element each.
class LineStatistic : public Row {
 public:
  LineStatistic(std::shared_ptr<const NormSums> sums, std::int64_t line, Statistic which)
      : line_(std::move(sums), line), which_(which) {}

  std::optional<double> limit(std::int64_t, double) const override { return limit_of(false); }
  double wide_limit(std::int64_t, double) const override { return limit_of(true).value_or(0); }
  std::optional<double> replay(std::int64_t, bool fused) const override {
    return which_ == Statistic::mean ? line_.replayed_mean(fused) : line_.replayed_inverse(fused);
  }
  bool replays_every_step() const override { return line_.replays_every_step(); }
  std::optional<double> truth(std::int64_t) const override {
    const auto& moments = line_.moments();
    if (!moments) return std::nullopt;
    return which_ == Statistic::mean ? moments->mean.rounded() : moments->inverse.rounded();
  }

 private:
  std::optional<double> limit_of(bool wide) const {
    return which_ == Statistic::mean ? line_.mean_limit(wide) : line_.inverse_limit(wide);
  }

  NormLine line_;
  Statistic which_;
};

}  // namespace

Rows statistic_rows(const Operation& operation, Normalization how, Statistic which) {
  const auto sums = std::make_shared<const NormSums>(operation, std::move(how));
  return {.number_of = [](std::int64_t index) { return index; },
          .make = [sums, which](std::int64_t line) -> std::unique_ptr<Row> {
            return std::make_unique<LineStatistic>(sums, line, which);
          },
          .terms = sums->how.lines.length()};
}

Rows normalized_rows(const Operation& operation, Normalization how) {
  const auto sums = std::make_shared<const NormSums>(operation, std::move(how));
  return {.number_of = [sums](std::int64_t index) { return sums->how.lines.line_of(index); },
          .make = [sums](std::int64_t line) -> std::unique_ptr<Row> { return std::make_unique<NormLine>(sums, line); },
          .terms = sums->how.lines.length()};
}

std::function<double(std::int64_t)> by_channel(const element::terms::Operand& operand, const ir::Shape& y) {
  return [operand, y](std::int64_t index) {
    return operand.values[static_cast<std::size_t>(element::terms::position_of(index, y)[1])];
  };
}

std::function<double(std::int64_t)> broadcast(const element::terms::Operand& operand, const ir::Shape& y) {
  return [operand, y](std::int64_t index) { return element::terms::stretched(operand, index, y); };
}

}  // namespace plumb::parity::settle
