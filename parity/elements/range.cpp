#include "parity/elements/range.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/elements/feeds.hpp"
#include "parity/elements/host_range.hpp"
#include "parity/elements/settle_rows.hpp"
#include "parity/elements/summing.hpp"

namespace plumb::parity::elements {
namespace {

/// How one result differs from a finite truth: not at all, by more than any order of rounding explains, or in kind.
enum class Miss { none, far, not_finite };

Miss miss_of(double truth, double got, double certain) {
  if (!std::isfinite(truth)) return Miss::none;
  if (!std::isfinite(got)) return Miss::not_finite;
  return std::abs(got - truth) <= certain ? Miss::none : Miss::far;
}

/// The certain limit of an element, with what storing it takes.
double certain_at(const compare::Limit& limit, double truth, std::size_t i) {
  return limit.knows_certain() ? limit.certain_at(std::abs(truth), i) : limit.at(std::abs(truth), i);
}

/// Rows of an op that has sums inside, of which the host misses an element, or which have an order of a sum that
/// overflows: an overflow in a sum that they share spoils some of them on the host, and others in another order.
class RowMisses {
 public:
  template <class IsMissed>
  static RowMisses of(const Subject& subject, const IsMissed& is_missed) {
    RowMisses misses;
    misses.rows_ = shared_rows(subject, widened_feeds(subject));
    if (!misses.rows_) return misses;
    for (std::size_t i = 0; i < misses.rows_->number_of.size(); ++i)
      if (is_missed(i)) misses.missed_[misses.rows_->number_of[i]] = true;
    return misses;
  }

  bool has(std::size_t i) {
    if (!rows_) return false;
    const std::int64_t number = rows_->number_of[i];
    const auto known = missed_.find(number);
    if (known != missed_.end()) return known->second;
    return missed_[number] = rows_->overflows_in_some_order(number);
  }

 private:
  std::optional<SharedRows> rows_;
  std::map<std::int64_t, bool> missed_;  ///< by row, once it was asked for
};

}  // namespace

std::uint64_t set_out_of_range_apart(const Subject& subject, std::size_t k, bounds::Bounded& bounded,
                                     const ir::TensorView& got, std::optional<ir::Tensor>& native) {
  compare::Allowed& allowed = bounded.allowed.at(k);
  if (allowed.rule != compare::Allowed::Rule::within || !ir::is_float(got.dtype())) return 0;
  const ir::Tensor came = ir::passes::widen(got);
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>(), c = came.as<double>();
  const compare::Limit limit(allowed, got.dtype());
  const auto miss = [&](std::size_t i) { return miss_of(truth[i], c[i], certain_at(limit, truth[i], i)); };
  std::vector<std::size_t> missed;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (miss(i) != Miss::none) missed.push_back(i);
  if (missed.empty()) return 0;
  if (!native) native = ir::passes::widen(evaluate_natively(subject, k));
  const std::span<const double> host = native->as<double>();
  const HostRange range = host_range(subject, k);
  const auto host_miss = [&](std::size_t i) {
    if (!range.is_left) return Miss::none;
    return miss_of(truth[i], host[i], range.certain.empty() ? certain_at(limit, truth[i], i) : range.certain[i]);
  };
  RowMisses misses =
      k == 0 ? RowMisses::of(subject, [&](std::size_t i) { return host_miss(i) != Miss::none; }) : RowMisses();
  const auto sum = find_bare_sum(subject, k);
  std::vector<bool> apart(truth.size(), false);
  std::uint64_t count = 0;
  for (const std::size_t i : missed) {
    const Miss of_host = host_miss(i);
    // Infinities make NaN, infinity or 0: one kernel multiplies such a one by 0 where the next one divides by it.
    const bool is_lost = !std::isfinite(c[i]) || c[i] == 0;
    const bool host_missed = (of_host != Miss::none && std::isnan(c[i])) || (is_lost && misses.has(i));
    const bool may_overflow =
        sum && !std::isfinite(c[i]) && sums::overflows_in_some_order(sum->at(i), core::compute_dtype(got.dtype()));
    if (of_host == miss(i) || host_missed || may_overflow) apart[i] = true, ++count;
  }
  if (count == 0) return 0;
  const ir::Tensor none({ir::DType::f64, got.shape()});
  compare::Limits limits = allowed.limits ? *allowed.limits : compare::Limits{none, none};
  limits.apart = std::move(apart);
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return count;
}

}  // namespace plumb::parity::elements
