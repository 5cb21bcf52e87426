// Elements of a log-mel spectrogram one by one: by the terms of their own band, or of the largest, whichever they show.
#include "ir/ops/log_mel.hpp"

#include <algorithm>
#include <cmath>

#include "parity/bounds/error_terms.hpp"
#include "parity/core/float_format.hpp"
#include "parity/settle/inside_sum.hpp"
#include "parity/settle/rows.hpp"

namespace plumb::parity::settle {
namespace {

using ir::ops::LogMel;

/// The sums of all elements of the output, one for each frame and band.
struct MelSums {
  const LogMel op;
  const Operation& operation;
  const InsideSum how;
  const std::int64_t bands, bins, scope;

  MelSums(const LogMel& log_mel, const Operation& asked)
      : op(log_mel),
        operation(asked),
        how(asked.node, ir::SumName::product, bounds::has_exact_products(asked.node)),
        bands(asked.y.back()),
        bins(asked.operands[1].shape[1]),
        scope(op.scope(asked.y)) {}

  element::terms::ElementSum band(std::int64_t index) const {
    const std::int64_t frame = index / bands, filter = index % bands;
    element::terms::ElementSum sum;
    for (std::int64_t j = 0; j < bins; ++j)
      sum.add(operation.operands[0].values[static_cast<std::size_t>(frame * bins + j)],
              operation.operands[1].values[static_cast<std::size_t>(filter * bins + j)]);
    return sum;
  }
  double log10_of(double band) const { return std::log10(std::max(band, op.floor)); }
};

double value_of(const element::terms::ElementSum& sum) {
  double total = 0;
  for (const element::terms::Product& term : sum.terms) total += term.value();
  return total;
}

/// The elements that share a maximum.
class Spectrogram : public Row {
 public:
  Spectrogram(std::shared_ptr<const MelSums> sums, std::int64_t number) : sums_(std::move(sums)) {
    first_ = largest_ = number * sums_->scope;
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = number * sums_->scope; i < (number + 1) * sums_->scope; ++i) {
      const double band = value_of(sums_->band(i));
      is_finite_ &= std::isfinite(band);
      if (band > most) {
        most = band;
        largest_ = i;
      }
    }
  }

  std::optional<double> limit(std::int64_t index, double truth) const override {
    if (!is_finite_) return std::nullopt;
    return off(index, truth,
               [](const InsideSum& how, const element::terms::ElementSum& sum) { return how.error(sum).probable; });
  }
  double wide_limit(std::int64_t index, double truth) const override {
    return off(index, truth,
               [](const InsideSum& how, const element::terms::ElementSum& sum) { return how.wide_error(sum); });
  }
  std::optional<double> replay(std::int64_t, bool) const override { return std::nullopt; }
  bool overflows_in_some_order() const override {
    return any_band([this](const sums::RangeSoFar& range) { return range.overflows_in_some_order(computed()); });
  }
  bool has_sizes_beyond() const override {
    return any_band([this](const sums::RangeSoFar& range) { return range.has_sizes_beyond(computed()); });
  }

 private:
  /// Asks each band whose terms are all finite.
  template <class Ask>
  bool any_band(const Ask& ask) const {
    for (std::int64_t i = first_; i < first_ + sums_->scope; ++i) {
      const element::terms::ElementSum sum = sums_->band(i);
      if (sums::has_finite_terms(sum) && ask(sums::range_of(sum))) return true;
    }
    return false;
  }
  ir::DType computed() const { return core::compute_dtype(sums_->operation.node.out_types.at(0).dtype); }

  /// How far to either side a logarithm may be of a band that is off by what `error` says.
  template <class Error>
  std::pair<double, double> interval(std::int64_t index, const Error& error) const {
    const element::terms::ElementSum sum = sums_->band(index);
    const double mel = value_of(sum), of_sum = error(sums_->how, sum) + 2 * unit() * std::abs(mel);
    const double of_function = 6 * unit() * std::abs(sums_->log10_of(mel));
    return {sums_->log10_of(mel - of_sum) - of_function, sums_->log10_of(mel + of_sum) + of_function};
  }

  template <class Error>
  double off(std::int64_t index, double truth, const Error& error) const {
    const auto own = interval(index, error), of_largest = interval(largest_, error);
    const double log = sums_->log10_of(value_of(sums_->band(index)));
    const double lowest = sums_->log10_of(value_of(sums_->band(largest_))) - sums_->op.range;
    const double kept = std::max(log, lowest), of_lowest = unit() * std::abs(lowest);
    const double low = std::max(own.first, of_largest.first - sums_->op.range - of_lowest);
    const double high = std::max(own.second, of_largest.second - sums_->op.range + of_lowest);
    return 0.25 * std::max(high - kept, kept - low) + unit() * std::abs(truth);
  }
  double unit() const { return sums_->operation.node.unit(); }

  const std::shared_ptr<const MelSums> sums_;
  std::int64_t first_ = 0, largest_ = 0;
  bool is_finite_ = true;
};

}  // namespace

std::optional<Rows> rows(const LogMel& op, const Operation& operation) {
  const auto sums = std::make_shared<const MelSums>(op, operation);
  return Rows{
      .number_of = [=](std::int64_t index) { return index / sums->scope; },
      .make = [=](std::int64_t number) -> std::unique_ptr<Row> { return std::make_unique<Spectrogram>(sums, number); }};
}

}  // namespace plumb::parity::settle
