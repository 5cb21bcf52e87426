#include "parity/elements/range.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/elements/feeds.hpp"
#include "parity/elements/settle_rows.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::elements {
namespace {

/// How one result differs from a finite truth: not at all, by more than any order of rounding explains, or in kind.
enum class Miss { none, far, not_finite };

Miss miss_of(double truth, double got, double certain, bool judges_distance) {
  if (!std::isfinite(got)) return Miss::not_finite;
  const bool vanished = got == 0 && truth != 0;
  return (judges_distance || vanished) && !(std::abs(got - truth) <= certain) ? Miss::far : Miss::none;
}

/// The certain limit of an element, with what storing it takes.
double certain_at(const compare::Limit& limit, double truth, std::size_t i) {
  return limit.knows_certain() ? limit.certain_at(std::abs(truth), i) : limit.at(std::abs(truth), i);
}

/// Rows of an op that has sums inside, of which the host misses an element: an overflow in a sum that they share spoils
/// some of them on the host, and others in another order.
class RowMisses {
 public:
  template <class IsMissed>
  static RowMisses of(const Subject& subject, const IsMissed& is_missed) {
    RowMisses misses;
    if (auto numbers = row_numbers(subject, widened_feeds(subject))) misses.numbers_ = std::move(*numbers);
    for (std::size_t i = 0; i < misses.numbers_.size(); ++i)
      if (is_missed(i)) misses.rows_.insert(misses.numbers_[i]);
    return misses;
  }

  bool has(std::size_t i) const { return i < numbers_.size() && rows_.contains(numbers_[i]); }

 private:
  std::vector<std::int64_t> numbers_;  ///< by element; empty where rows are not known
  std::set<std::int64_t> rows_;
};

}  // namespace

std::uint64_t set_out_of_range_apart(const Subject& subject, std::size_t k, bounds::Bounded& bounded,
                                     const ir::TensorView& got, std::optional<ir::Tensor>& native) {
  compare::Allowed& allowed = bounded.allowed.at(k);
  if (allowed.rule != compare::Allowed::Rule::within || !ir::is_float(got.dtype())) return 0;
  const ir::Tensor came = ir::passes::widen(got);
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>(), c = came.as<double>();
  const compare::Limit limit(allowed, got.dtype());
  // A plain sum is further off than a compensated one may be, which would excuse a compensation that was lost.
  const std::optional<ir::Sum>& sum = subject.manner.arithmetic.sum;
  const bool judges_distance = !(sum && sums::is_compensated(*sum));
  const auto miss = [&](std::span<const double> results, std::size_t i) {
    if (!std::isfinite(truth[i])) return Miss::none;
    return miss_of(truth[i], results[i], certain_at(limit, truth[i], i), judges_distance);
  };
  std::vector<std::size_t> missed;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (miss(c, i) != Miss::none) missed.push_back(i);
  if (missed.empty()) return 0;
  if (!native) native = ir::passes::widen(evaluate_natively(subject, k));
  const std::span<const double> host = native->as<double>();
  const RowMisses misses =
      k == 0 ? RowMisses::of(subject, [&](std::size_t i) { return miss(host, i) != Miss::none; }) : RowMisses();
  std::vector<bool> apart(truth.size(), false);
  std::uint64_t count = 0;
  for (const std::size_t i : missed) {
    const Miss of_host = miss(host, i);
    // Infinities make NaN, infinity or 0: one kernel multiplies such a one by 0 where the next one divides by it.
    const bool is_lost = !std::isfinite(c[i]) || c[i] == 0;
    const bool host_missed = (of_host != Miss::none && std::isnan(c[i])) || (is_lost && misses.has(i));
    if (of_host == miss(c, i) || host_missed) apart[i] = true, ++count;
  }
  if (count == 0) return 0;
  const ir::Tensor none({ir::DType::f64, got.shape()});
  compare::Limits limits = allowed.limits ? *allowed.limits : compare::Limits{none, none};
  limits.apart = std::move(apart);
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return count;
}

}  // namespace plumb::parity::elements
