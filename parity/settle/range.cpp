#include "parity/settle/range.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>
#include <set>

#include "ir/ops/layer_norm.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/folded_sum.hpp"
#include "parity/settle/host_range.hpp"
#include "parity/settle/ranges/complex_range.hpp"
#include "parity/settle/ranges/product_range.hpp"
#include "parity/settle/ranges/tap_range.hpp"
#include "parity/settle/replay.hpp"
#include "parity/settle/settle_rows.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::settle {
namespace {

/// How one result differs from a finite truth: not at all, by more than any order of rounding explains, or in kind.
enum class Mismatch { none, far, not_finite };

Mismatch mismatch_of(double truth, double got, double certain) {
  if (!std::isfinite(truth)) return Mismatch::none;
  if (!std::isfinite(got)) return Mismatch::not_finite;
  return std::abs(got - truth) <= certain ? Mismatch::none : Mismatch::far;
}

/// Whether finite terms may have made an infinity that met the one which the truth has.
bool loses_infinity(double truth, double got) { return std::isinf(truth) && std::isnan(got); }

/// Results that another order of factors, or a tap without weight, explains: whatever the host makes of the elements,
/// and also where their truth is not finite.
class OtherOrders {
 public:
  OtherOrders(const Subject& subject, std::size_t k)
      : product_(ProductRange::of(subject, k)), taps_(TapRange::of(subject, k)) {}

  /// Whether all orders are known, so that the host's own says nothing more.
  bool knows_all() const { return product_.has_value(); }
  /// From where on an element is missed. A partial product that is subnormal is rounded to a fixed place, or is 0, in
  /// one order and not in another, which is no matter of chance: beyond the probable limit it has to explain a product.
  double least_miss(const compare::Limit& limit, double truth, std::size_t i) const {
    return product_ ? limit.at(std::abs(truth), i) : certain_at(limit, truth, i);
  }
  /// Whether an element that the comparison does not pass has such a truth.
  bool ask_for(double truth, double got) const {
    if (!product_ && !taps_) return false;
    return std::isnan(truth) ? !std::isnan(got) : !std::isfinite(truth) && got != truth;
  }
  bool explain(std::size_t i, double truth, double got, double certain) const {
    return (product_ && product_->explains(i, got)) || (taps_ && taps_->explains(i, truth, got, certain));
  }

 private:
  std::optional<ProductRange> product_;
  std::optional<TapRange> taps_;
};

/// Whether output `k` has one number a line, which a sum of squares beyond the range makes 0.
bool is_inverse_deviation(const Subject& subject, std::size_t k) {
  const std::vector<ir::Node>& nodes = subject.segment.graph.nodes();
  return nodes.size() == 1 && nodes.front().op.is<ir::ops::LayerNorm>() && k == 2;
}

bool finite_terms_leave_f64(const element::terms::ElementSum& sum) {
  return sums::has_finite_terms(sum) && sums::overflows_in_some_order(sum, ir::DType::f64);
}

/// The sums that elements are, as far as they may leave a range. Of running sums, of which each has the terms of the
/// one before it, all are looked at when the first is asked for: one by one they would take n² / 2.
class SumRange {
 public:
  SumRange(const Summing& sums, ir::DType computed, bool flushes_subnormals)
      : sums_(sums),
        computed_(computed),
        flushed_(flushes_subnormals ? core::float_format(computed).smallest_normal() : 0) {}

  bool overflows(std::size_t i) const { return at(i).overflows; }
  /// Whether the sizes of finite terms add up to more than the type holds: limits are made of these.
  bool has_no_limit(std::size_t i) const { return at(i).has_no_limit; }
  /// Whether a kernel makes NaN of an infinity: it meets one of the other sign, as the terms of that leave the range,
  /// which is wider in the truth, or its own other factor, which was flushed to 0.
  bool spoils(std::size_t i, double truth, double got) const {
    return loses_infinity(truth, got) && (at(i).meets_infinities || at(i).loses_a_factor);
  }

 private:
  struct Element {
    bool overflows = false, has_no_limit = false, meets_infinities = false, loses_a_factor = false;
  };

  Element made(const sums::RangeSoFar& range, bool is_finite) const {
    return {range.overflows_in_some_order(computed_), range.has_sizes_beyond(computed_) && is_finite,
            range.overflows_to_both_sides(computed_)};
  }
  /// Whether an infinite factor is multiplied by one that may be flushed to 0.
  bool loses_a_factor(const element::terms::Product& term) const {
    const auto meets = [&](double one, double other) {
      return std::isinf(one) && other != 0 && std::abs(other) < flushed_;
    };
    return meets(term.a, term.b) || meets(term.b, term.a);
  }
  Element at(std::size_t i) const {
    if (!sums_.walker.has_prefixes()) {
      const element::terms::ElementSum sum = sums_.at(i);
      Element element = made(sums::range_of(sum), sums::has_finite_terms(sum));
      element.loses_a_factor = std::ranges::any_of(sum.terms, [&](const auto& term) { return loses_a_factor(term); });
      return element;
    }
    if (running_.empty()) look_at_lines();
    return running_[i];
  }
  void look_at_lines() const {
    running_.resize(static_cast<std::size_t>(sums_.shape.elements()));
    std::map<std::int64_t, std::vector<std::size_t>> by_line;
    const auto prefix = [&](std::size_t i) { return sums_.walker.prefix(static_cast<std::int64_t>(i)); };
    for (std::size_t i = 0; i < running_.size(); ++i) by_line[prefix(i).first].push_back(i);
    for (auto& [first, line] : by_line) {
      if (line.size() > 1 && prefix(line[0]).count > prefix(line[1]).count) std::ranges::reverse(line);
      sums::RangeSoFar range;
      bool is_finite = true;
      std::int64_t taken = 0;
      for (const std::size_t i : line) {
        for (const element::terms::Prefix of = prefix(i); taken < of.count; ++taken) {
          range.take(of.term(taken));
          is_finite &= std::isfinite(of.term(taken));
        }
        running_[i] = made(range, is_finite);
      }
    }
  }

  const Summing& sums_;
  const ir::DType computed_;
  const double flushed_;                  ///< numbers below it may be flushed to 0
  mutable std::vector<Element> running_;  ///< by element; empty: not yet looked at
};

/// Rows of an op of f64 that has sums inside, as far as these leave the range.
class RowRange {
 public:
  RowRange(const Subject& subject, std::size_t k) : subject_(subject), k_(k) {}

  bool overflows(std::size_t i) const { return ask(i) && overflows_; }
  bool has_no_limit(std::size_t i) const { return ask(i) && has_sizes_beyond_; }

 private:
  bool ask(std::size_t i) const {
    if (!is_made_) rows_ = shared_rows(subject_, k_, widened_feeds(subject_));
    is_made_ = true;
    if (!rows_) return false;
    if (const std::int64_t number = rows_->number_of[i]; number != number_) {
      const auto row = rows_->make(number);
      overflows_ = row->overflows_in_some_order();
      has_sizes_beyond_ = row->has_sizes_beyond();
      number_ = number;
    }
    return true;
  }

  const Subject& subject_;
  const std::size_t k_;
  mutable std::optional<SharedRows> rows_;
  mutable std::int64_t number_ = -1;  ///< the number of the row that was asked for last
  mutable bool is_made_ = false, overflows_ = false, has_sizes_beyond_ = false;
};

/// The truth of f64 has no more range than the candidate: where the sizes of finite terms leave it, what the element
/// may be off is not known, and where some order does, neither is what it is. No other order makes an infinity or a
/// NaN.
template <class Range>
bool may_leave_f64(const Range& sums, std::size_t i, double truth, double got, double certain) {
  const bool is_told = std::isfinite(truth) ? std::isfinite(certain)
                       : std::isnan(truth)  ? std::isnan(got)
                                            : got == truth;
  return !is_told && sums.has_no_limit(i) && (std::isfinite(got) || sums.overflows(i));
}

/// The sums that elements of output `k` are, or are made of at their places: one of these can leave the range in the
/// order of the kernel, or with the kernel's own factors, and not in the host's.
class SumMisses {
 public:
  /// `bare`: the sums that elements are; null where they are none.
  SumMisses(const Subject& subject, std::size_t k, const SumRange* bare)
      : dtype_(core::compute_dtype(subject.segment.graph.type(subject.segment.outputs.at(k)).dtype)), bare_(bare) {
    const bool is_alone = subject.segment.graph.nodes().size() == 1;
    const ir::Node* const node = is_alone ? nullptr : node_at_place(subject, k);
    if (node == nullptr) return;
    const ir::Feeds fed = widened_feeds(subject);
    if (auto found = summing_node(subject, fed); found && found->sum == node->outputs[0]) {
      folded_ = folded_sum(subject, fed, *found);
      behind_.emplace(std::move(*found));
    }
  }

  /// Whether such an overflow can have made the element `got`; a relu makes 0 of an infinity.
  bool explains(std::size_t i, double truth, double got) const {
    const auto overflows = [&](const auto& sums) { return sums::overflows_in_some_order(sums.at(i), dtype_); };
    if (loses_infinity(truth, got)) return false;
    if (bare_ != nullptr) return !std::isfinite(got) && bare_->overflows(i);
    const bool is_lost = !std::isfinite(got) || got == 0;
    return is_lost && ((behind_ && overflows(*behind_)) || (folded_ && overflows(*folded_)));
  }

 private:
  ir::DType dtype_;
  const SumRange* bare_;
  std::optional<Summing> behind_;
  std::optional<FoldedSum> folded_;
};

/// Rows of an op that has sums inside. An overflow in a sum that elements share spoils some of them in one order, and
/// others, or none, in another.
class RowMisses {
 public:
  template <class IsMissed>
  static RowMisses of(const Subject& subject, std::size_t k, const IsMissed& is_missed) {
    RowMisses misses;
    misses.k_ = k;
    if (k != 0 && !is_inverse_deviation(subject, k)) return misses;
    misses.rows_ = shared_rows(subject, 0, widened_feeds(subject));
    if (!misses.rows_) return misses;
    if (k != 0) {  // by the line, in their order
      misses.rows_->number_of.resize(
          static_cast<std::size_t>(subject.segment.graph.type(subject.segment.outputs.at(k)).shape.elements()));
      std::iota(misses.rows_->number_of.begin(), misses.rows_->number_of.end(), 0);
    }
    for (std::size_t i = 0; i < misses.rows_->number_of.size(); ++i)
      if (is_missed(i)) misses.of_host_.insert(misses.rows_->number_of[i]);
    return misses;
  }

  /// Whether an overflow in the element's row can have made it `got`: the host misses one of the row, or a sum that
  /// the row shares overflows in some order.
  bool explains(std::size_t i, double got, ir::DType dtype) {
    if (!rows_) return false;
    const std::int64_t number = rows_->number_of[i];
    const bool is_lost = !std::isfinite(got) || got == 0;
    if (is_lost && of_host_.contains(number)) return true;
    if (k_ != 0 && !is_lost) return false;
    if (number != number_) {
      row_ = rows_->make(number);
      number_ = number;
      overflows_ = row_->overflows_in_some_order();
    }
    if (!overflows_ && !of_host_.contains(number)) return false;
    return is_lost || got == stored_as(dtype, static_cast<float>(row_->lost(static_cast<std::int64_t>(i))));
  }

 private:
  std::size_t k_ = 0;
  std::optional<SharedRows> rows_;
  std::set<std::int64_t> of_host_;  ///< rows of which the host misses an element
  std::int64_t number_ = -1;        ///< the number of the row that was asked for last
  std::unique_ptr<Row> row_;
  bool overflows_ = false;
};

}  // namespace

OutOfRange set_out_of_range_apart(const Subject& subject, std::size_t k, const ir::Tensor& expected,
                                  const compare::Allowed& allowed, const ir::TensorView& got,
                                  std::optional<ir::Tensor>& native) {
  if (allowed.rule != compare::Allowed::Rule::within) return {allowed};
  if (ir::is_complex(got.dtype())) return set_complex_out_of_range_apart(subject, k, expected, allowed, got);
  if (!ir::is_float(got.dtype())) return {allowed};
  const ir::Tensor came = ir::passes::widen(got);
  const std::span<const double> truth = expected.as<double>(), c = came.as<double>();
  const compare::Limit limit(allowed, got.dtype());
  const OtherOrders orders(subject, k);
  const auto miss = [&](std::size_t i) { return mismatch_of(truth[i], c[i], orders.least_miss(limit, truth[i], i)); };
  const auto sum = find_bare_sum(subject, k);
  std::optional<SumRange> in_range;
  if (sum) in_range.emplace(*sum, core::compute_dtype(got.dtype()), subject.manner.flushes_subnormals);
  const RowRange rows(subject, k);
  const auto may_leave = [&](std::size_t i) {
    if (got.dtype() != ir::DType::f64) return false;
    const double certain = certain_at(limit, truth[i], i);
    return in_range ? may_leave_f64(*in_range, i, truth[i], c[i], certain)
                    : may_leave_f64(rows, i, truth[i], c[i], certain);
  };
  const auto is_spoilt = [&](std::size_t i) { return in_range && in_range->spoils(i, truth[i], c[i]); };
  std::vector<std::size_t> missed;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (miss(i) != Mismatch::none || orders.ask_for(truth[i], c[i]) || may_leave(i) || loses_infinity(truth[i], c[i]))
      missed.push_back(i);
  if (missed.empty()) return {allowed};
  if (!native) native = ir::passes::widen(evaluate_natively(subject, k));
  const std::span<const double> host = native->as<double>();
  const HostRange range = host_range(subject, k);
  const auto host_miss = [&](std::size_t i) {
    if (!range.is_left) return Mismatch::none;
    return mismatch_of(truth[i], host[i], range.certain.empty() ? certain_at(limit, truth[i], i) : range.certain[i]);
  };
  RowMisses misses = RowMisses::of(subject, k, [&](std::size_t i) { return host_miss(i) != Mismatch::none; });
  const SumMisses sums(subject, k, in_range ? &*in_range : nullptr);
  std::vector<bool> apart(truth.size(), false);
  std::uint64_t count = 0;
  for (const std::size_t i : missed) {
    const Mismatch of_host = host_miss(i);
    // Infinities make NaN, infinity or 0: one kernel multiplies such a one by 0 where the next one divides by it.
    const bool host_missed = (of_host != Mismatch::none && std::isnan(c[i])) || misses.explains(i, c[i], got.dtype());
    const bool is_alike = (of_host != Mismatch::none && of_host == miss(i)) ||
                          (loses_infinity(truth[i], c[i]) && loses_infinity(truth[i], host[i]));
    apart[i] = may_leave(i) || is_spoilt(i) ||
               (!orders.knows_all() && (is_alike || host_missed || sums.explains(i, truth[i], c[i]))) ||
               orders.explain(i, truth[i], c[i], certain_at(limit, c[i], i));
    count += apart[i];
  }
  if (count == 0) return {allowed};
  // A lost row tells nothing where its truth happens to be near what is left of it, either.
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (!apart[i] && std::isfinite(truth[i]) && misses.explains(i, c[i], got.dtype())) {
      apart[i] = true;
      ++count;
    }
  return set_apart(allowed, got.shape(), std::move(apart), count);
}

std::uint64_t set_unlimited_apart(const ir::Tensor& expected, ir::DType dtype, compare::Allowed& allowed) {
  if (allowed.limits == nullptr || core::compute_dtype(dtype) != ir::DType::f64) return 0;
  const compare::Limit limit(allowed, dtype);
  std::vector<bool> apart = allowed.limits->apart;
  apart.resize(static_cast<std::size_t>(expected.elements()), false);
  std::uint64_t count = 0;
  const auto look = [&](const auto& truth) {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (apart[i] || std::isfinite(limit.at(std::abs(truth[i]), i))) continue;
      apart[i] = true;
      ++count;
    }
  };
  if (ir::is_complex(expected.dtype()))
    look(expected.as<std::complex<double>>());
  else
    look(expected.as<double>());
  allowed = set_apart(allowed, expected.shape(), std::move(apart), count).allowed;
  return count;
}

bool may_leave_range_of_truth(const Subject& subject, std::size_t k, std::size_t i) {
  const ir::DType dtype = subject.segment.graph.type(subject.segment.outputs.at(k)).dtype;
  if (core::compute_dtype(dtype) != ir::DType::f64) return false;
  if (const auto sum = find_bare_sum(subject, k)) return finite_terms_leave_f64(sum->at(i));
  const auto parts = ComplexSums::of(subject, k);
  return parts && (finite_terms_leave_f64(parts->at(i, ComplexSums::Part::real)) ||
                   finite_terms_leave_f64(parts->at(i, ComplexSums::Part::imaginary)));
}

}  // namespace plumb::parity::settle
