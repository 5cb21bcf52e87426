#include "parity/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "parity/float_format.hpp"
#include "parity/moments.hpp"
#include "parity/parallel.hpp"
#include "parity/quantiles.hpp"

namespace plumb::parity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- histograms: bin k of ulps holds 2^(k - 39) and up, of ratios 2^(k / 2 - 16.5) and up, the first of each
// all below. The exponent and the upper half of the fraction are read from the bits: this runs for every element.

constexpr int ulp_half = Comparison::ulp_bins / 2;

double ulp_edge(int k) { return k == 0 ? 0 : std::ldexp(1.0, k - 7); }
double ratio_edge(int k) { return k == 0 ? 0 : std::exp2(0.5 * (k - 1) - 16); }

/// floor(log2 x) of a positive float; -127 for 0 and subnormals, 128 for infinity.
int exponent_of(float x) { return static_cast<int>(std::bit_cast<std::uint32_t>(x) >> 23) - 127; }

std::size_t ulp_bin(float size, bool negative) {
  const int k = std::clamp(exponent_of(size) + 7, 0, ulp_half - 1);
  return static_cast<std::size_t>(negative ? ulp_half - 1 - k : ulp_half + k);
}

std::size_t ratio_bin(float ratio) {
  const std::uint32_t fraction = std::bit_cast<std::uint32_t>(ratio) & 0x7FFFFF;
  const bool upper = fraction >= 0x3504F3;  // of sqrt(2), rounded down: a float above it is above the edge
  const int k = 2 * (exponent_of(ratio) + 16) + 1 + (upper ? 1 : 0);
  return static_cast<std::size_t>(std::clamp(k, 0, static_cast<int>(Comparison::ratio_bins) - 1));
}

/// One real number of an element: the truth, the truth rounded to the dtype, what came.
struct Part {
  double y, r, c;
  bool same_bits, near_tie_neighbour;
};

/// How a part was found.
struct Finding {
  bool good = true, finite = false;
  double error = 0, allowed = 0, certain = 0;

  double ratio() const { return over(allowed); }
  double ratio_certain() const { return over(certain); }

 private:
  double over(double limit) const {
    if (good && error == 0) return 0;
    return limit > 0 ? error / limit : infinity;
  }
};

/// Allowed for one dtype, with everything looked up.
class Limit {
 public:
  Limit(const Allowed& allowed, ir::DType dtype)
      : allowed_(allowed), computed_(float_format(compute_dtype(dtype))), stored_(float_format(dtype)) {
    if (allowed.limits == nullptr) return;
    probable_ = allowed.limits->probable.as<double>();
    certain_ = allowed.limits->certain.as<double>();
  }

  double at(double magnitude, std::uint64_t index) const {
    return with(probable_.empty() ? 0 : probable_[index], magnitude);
  }
  /// What no chance exceeds.
  double certain_at(double magnitude, std::uint64_t index) const {
    return with(certain_.empty() ? 0 : certain_[index], magnitude);
  }
  bool knows_certain() const { return !certain_.empty(); }

 private:
  double with(double of_element, double magnitude) const {
    double limit = of_element * allowed_.of_limits + std::max(allowed_.relative * magnitude, allowed_.absolute);
    if (allowed_.ulps > 0) limit = std::max(limit, allowed_.ulps * computed_.ulp(magnitude));
    if (allowed_.storage > 0) limit += allowed_.storage * stored_.ulp(magnitude);
    return limit + allowed_.subnormal;
  }

  const Allowed allowed_;
  const FloatFormat computed_, stored_;
  std::span<const double> probable_, certain_;  ///< of each element; empty where one rule serves all
};

// ---- the scan

class Scan {
 public:
  Scan(const Allowed& allowed, ir::DType dtype, bool integer)
      : allowed_(allowed),
        limit_(allowed, dtype),
        format_(float_format(dtype)),
        overflow_(format_.overflow()),
        integer_(integer) {}

  /// Elements come in the order of their indices, though not all. `first` is the truth of element 0.
  template <std::size_t parts>
  void element(std::uint64_t index, const std::array<Part, parts>& element, const std::array<double, parts>& first);

  /// The sums since they were taken last.
  Moments take_sums() { return std::exchange(total_, {}) += std::exchange(block_, {}); }

  /// What another scan found in other elements.
  void absorb(const Scan& other);
  Comparison finish(const Moments& sums);

 private:
  Finding judge(std::uint64_t index, const Part& part, double magnitude) const;
  Finding judge_finite(std::uint64_t index, const Part& part, double magnitude) const;
  void measure(std::uint64_t index, const Part& part, const Finding& found, double magnitude);
  void keep_worst(const Worst& worst, double error);
  template <std::size_t parts>
  void census(const std::array<Part, parts>& element, const std::array<double, parts>& first);

  const Allowed allowed_;
  const Limit limit_;
  const FloatFormat format_;
  const double overflow_;
  const bool integer_;
  Comparison result_;
  Moments block_, total_;
  Quantiles ulps_, ratios_;
  std::vector<double> worst_errors_;
};

Finding Scan::judge_finite(std::uint64_t index, const Part& part, double magnitude) const {
  using Rule = Allowed::Rule;
  Finding found{.finite = true};
  if (integer_) {
    found.error = std::abs(part.c - part.y);
    found.good = part.same_bits;
    return found;
  }
  if (allowed_.rule == Rule::within) {
    found.error = std::abs(part.c - part.y);
    found.allowed = limit_.at(magnitude, index);
    found.certain = limit_.certain_at(magnitude, index);
    found.good = found.error <= found.allowed;
    return found;
  }
  found.error = std::abs(part.c - part.r);
  if (allowed_.rule == Rule::bits) {
    found.good = part.same_bits;
    return found;
  }
  found.allowed = allowed_.subnormal;
  found.good = found.error <= allowed_.subnormal;
  if (allowed_.rule == Rule::rounded && part.near_tie_neighbour) found = {.finite = true};
  return found;
}

Finding Scan::judge(std::uint64_t index, const Part& part, double magnitude) const {
  if (std::isnan(part.y) || std::isnan(part.c)) {
    const bool both = std::isnan(part.y) && std::isnan(part.c);
    return {.good = both, .error = both ? 0 : infinity};
  }
  const bool overflows = std::isinf(part.r) && allowed_.rule != Allowed::Rule::within;
  if (std::isfinite(part.y) && std::isfinite(part.c) && !overflows) return judge_finite(index, part, magnitude);
  if (part.c == part.y || part.c == part.r) return {};  // also a finite truth that overflows
  const double limit = limit_.at(magnitude, index);
  const bool reaches = allowed_.rule == Allowed::Rule::within && std::isfinite(part.y) && std::isfinite(limit) &&
                       std::abs(part.y) + limit >= overflow_ && std::signbit(part.c) == std::signbit(part.y);
  if (reaches) return {};
  return {.good = false, .error = infinity};
}

template <std::size_t parts>
void Scan::census(const std::array<Part, parts>& element, const std::array<double, parts>& first) {
  bool nan_y = false, nan_c = false, inf_y = false, inf_c = false, zero = true, exact = true;
  for (std::size_t p = 0; p < parts; ++p) {
    const double y = element[p].y, c = element[p].c;
    zero &= y == 0, exact &= y == c;
    if (!(y == first[p] || (std::isnan(y) && std::isnan(first[p])))) result_.constant = false;
    if (std::isfinite(y - c)) continue;
    nan_y |= std::isnan(y), nan_c |= std::isnan(c), inf_y |= std::isinf(y), inf_c |= std::isinf(c);
  }
  ++result_.n;
  result_.n_zero_expected += zero, result_.n_exact += exact && !zero;
  if (!(nan_y || nan_c || inf_y || inf_c)) return;
  result_.n_nan_expected += nan_y, result_.n_nan_got += nan_c;
  result_.n_inf_expected += inf_y, result_.n_inf_got += inf_c;
}

void Scan::measure(std::uint64_t index, const Part& part, const Finding& found, double magnitude) {
  raise(result_.max_abs, {found.error, index});
  // Dividing only where the quotient is larger than before; not where it is NaN.
  const bool may_raise = !(found.error <= result_.max_rel.value * magnitude * (1 - 0x1p-50));
  if (may_raise && magnitude > 0) raise(result_.max_rel, {found.error / magnitude, index});
  if (limit_.knows_certain() && !(found.error <= result_.ratio_certain * found.certain))
    raise(result_.ratio_certain, found.ratio_certain());
  const double reference = integer_ || allowed_.rule == Allowed::Rule::within ? part.y : part.r;
  const double error = part.c - reference;
  if (!integer_) {
    const double size = found.error == 0 ? 0 : found.error / format_.ulp(magnitude);
    raise(result_.max_ulp, {size, index});
    ulps_.add(static_cast<float>(size));
    ++result_.hist_ulp[ulp_bin(static_cast<float>(size), error < 0)];
  }
  block_ += {1, error, error * error, std::abs(part.y), part.y * part.y, part.c * part.c, part.y * part.c};
  if (block_.parts >= 1024) total_ += block_, block_ = {};
  raise(result_.expected_absmax, std::abs(part.y));
}

void Scan::keep_worst(const Worst& worst, double error) {
  auto& kept = result_.worst;
  const auto worse = [&](std::size_t i) {
    if (worst.ratio != kept[i].ratio) return worst.ratio > kept[i].ratio;
    return error > worst_errors_[i] || (error == worst_errors_[i] && worst.index < kept[i].index);
  };
  if (kept.size() == Comparison::worst_kept && !worse(kept.size() - 1)) return;
  std::size_t place = kept.size();
  while (place > 0 && worse(place - 1)) --place;
  kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place), worst);
  worst_errors_.insert(worst_errors_.begin() + static_cast<std::ptrdiff_t>(place), error);
  if (kept.size() > Comparison::worst_kept) kept.pop_back(), worst_errors_.pop_back();
}

template <std::size_t parts>
void Scan::element(std::uint64_t index, const std::array<Part, parts>& element,
                   const std::array<double, parts>& first) {
  census(element, first);
  const double magnitude = parts == 1 ? std::abs(element[0].y) : std::hypot(element[0].y, element[parts - 1].y);
  Worst worst{.index = index};
  double error = -1, ratio = -1;
  bool bad = false, any = false, nan = false, special = false;
  for (const Part& part : element) {
    const Finding found = judge(index, part, magnitude);
    if (found.finite)
      measure(index, part, found, magnitude);
    else if (found.good)
      continue;  // NaN met NaN, infinity its own: nothing to measure
    else
      special = true, nan |= std::isnan(part.y) || std::isnan(part.c);
    any = true;
    bad |= !found.good;
    const double found_ratio = found.ratio();
    if (found_ratio < ratio || (found_ratio == ratio && found.error <= error)) continue;
    error = found.error, ratio = found_ratio;
    worst = {index, part.y, part.c, found.allowed, ratio};
  }
  result_.n_bad += bad;
  result_.n_nan_differ += nan, result_.n_inf_differ += special && !nan;
  if (!any) return;
  if (!special && !(ratio <= result_.ratio_finite)) result_.ratio_finite = ratio;
  ratios_.add(static_cast<float>(ratio));
  ++result_.hist_ratio[ratio_bin(static_cast<float>(ratio))];
  keep_worst(worst, error);
}

void Scan::absorb(const Scan& other) {
  const Comparison& found = other.result_;
  result_.n += found.n, result_.n_bad += found.n_bad, result_.n_zero_expected += found.n_zero_expected;
  result_.n_exact += found.n_exact;
  result_.n_nan_expected += found.n_nan_expected, result_.n_nan_got += found.n_nan_got;
  result_.n_inf_expected += found.n_inf_expected, result_.n_inf_got += found.n_inf_got;
  result_.n_nan_differ += found.n_nan_differ, result_.n_inf_differ += found.n_inf_differ;
  result_.constant &= found.constant;
  raise(result_.max_abs, found.max_abs), raise(result_.max_rel, found.max_rel), raise(result_.max_ulp, found.max_ulp);
  raise(result_.expected_absmax, found.expected_absmax), raise(result_.ratio_finite, found.ratio_finite);
  raise(result_.ratio_certain, found.ratio_certain);
  for (std::size_t k = 0; k < found.worst.size(); ++k) keep_worst(found.worst[k], other.worst_errors_[k]);
  std::ranges::transform(result_.hist_ulp, found.hist_ulp, result_.hist_ulp.begin(), std::plus{});
  std::ranges::transform(result_.hist_ratio, found.hist_ratio, result_.hist_ratio.begin(), std::plus{});
  ulps_.add(other.ulps_), ratios_.add(other.ratios_);
}

Comparison Scan::finish(const Moments& sums) {
  result_.ulp_p50 = ulps_.at(0.5), result_.ulp_p99 = ulps_.at(0.99), result_.ulp_p999 = ulps_.at(0.999);
  result_.ratio_p99 = ratios_.at(0.99);
  sums.describe(result_);
  return std::move(result_);
}

// ---- reading the elements

template <class T>
double number(T x) {
  return static_cast<double>(x);
}

/// T is the dtype's own part; Y is T, or double for an unrounded truth.
template <class T, class Y>
Part part_of(Y y, T c, const Allowed& allowed) {
  if constexpr (std::is_integral_v<T>) {
    return {number(y), number(y), number(c), y == c, false};
  } else {
    const double truth = number(y), got = number(c);
    T r{};
    if constexpr (std::is_same_v<T, Y>)
      r = y;
    else
      r = T(truth);
    Part part{truth, number(r), got, false, false};
    const double rounded = part.r;
    part.same_bits = rounded == got && std::signbit(rounded) == std::signbit(got);
    if (allowed.rule == Allowed::Rule::rounded && rounded != got)
      part.near_tie_neighbour = got == number(T(truth * (1 - 0x1p-45))) || got == number(T(truth * (1 + 0x1p-45)));
    return part;
  }
}

template <class T, class Y>
auto parts_of(Y y, T c, const Allowed& allowed) {
  if constexpr (ir::is_complex(ir::dtype_of<T>))
    return std::array{part_of(y.real(), c.real(), allowed), part_of(y.imag(), c.imag(), allowed)};
  else
    return std::array{part_of(y, c, allowed)};
}

template <std::size_t parts>
std::array<double, parts> truths_of(const std::array<Part, parts>& element) {
  std::array<double, parts> truths;
  for (std::size_t p = 0; p < parts; ++p) truths[p] = element[p].y;
  return truths;
}

/// In pieces, on several threads: sums are kept by piece and added in order, all else does not depend on an order.
template <class T, class Y>
Comparison scan(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed) {
  constexpr std::size_t piece_size = 16384;
  const auto y = expected.as<Y>();
  const auto c = got.as<T>();
  const std::size_t pieces = (c.size() + piece_size - 1) / piece_size, workers = workers_for(pieces);
  std::vector<Scan> scans(workers, Scan(allowed, got.dtype(), std::is_integral_v<T>));
  std::vector<Moments> sums(pieces);
  for_each_piece(pieces, workers, [&](std::size_t piece, std::size_t worker) {
    const auto first = truths_of(parts_of(y[0], c[0], allowed));
    const std::size_t end = std::min(c.size(), (piece + 1) * piece_size);
    for (std::size_t i = piece * piece_size; i < end; ++i)
      scans[worker].element(i, parts_of(y[i], c[i], allowed), first);
    sums[piece] = scans[worker].take_sums();
  });
  for (std::size_t worker = 1; worker < workers; ++worker) scans[0].absorb(scans[worker]);
  return scans[0].finish(
      std::accumulate(sums.begin(), sums.end(), Moments{}, [](Moments all, const Moments& one) { return all += one; }));
}

}  // namespace

double ulp_of(double y, ir::DType dtype) { return ir::unit_roundoff(dtype) == 0 ? 1 : float_format(dtype).ulp(y); }

double Allowed::at(double magnitude, ir::DType dtype, std::uint64_t index) const {
  return Limit(*this, dtype).at(magnitude, index);
}

std::array<double, Comparison::ulp_bins> ulp_edges() {
  std::array<double, Comparison::ulp_bins> edges;
  for (int k = 0; k < ulp_half; ++k) {
    edges[static_cast<std::size_t>(ulp_half + k)] = ulp_edge(k);
    edges[static_cast<std::size_t>(ulp_half - 1 - k)] = k == ulp_half - 1 ? -infinity : -ulp_edge(k + 1);
  }
  return edges;
}

std::array<double, Comparison::ratio_bins> ratio_edges() {
  std::array<double, Comparison::ratio_bins> edges;
  for (std::size_t k = 0; k < edges.size(); ++k) edges[k] = ratio_edge(static_cast<int>(k));
  return edges;
}

Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed) {
  ir::require(expected.shape() == got.shape(), "compared ", got.type(), " with an expected ", expected.type());
  ir::require(allowed.limits == nullptr || allowed.limits->probable.shape() == got.shape(), "limits of ", got.type(),
              " are ", allowed.limits ? allowed.limits->probable.type() : got.type());
  if (expected.dtype() == ir::DType::f64 && ir::is_float(got.dtype())) {
    Comparison result;
    ir::visit_float(got.dtype(), [&]<class T>(T) { result = scan<T, double>(expected, got, allowed); });
    return result;
  }
  if (expected.dtype() == ir::DType::c128 && got.dtype() == ir::DType::c64)
    return scan<std::complex<float>, std::complex<double>>(expected, got, allowed);
  ir::require(expected.dtype() == got.dtype(), "compared ", got.type(), " with an expected ", expected.type());
  Comparison result;
  ir::visit_any(got.dtype(), [&]<class T>(T) { result = scan<T, T>(expected, got, allowed); });
  return result;
}

std::string summary(const Comparison& comparison) {
  const auto& c = comparison;
  if (c.agrees()) return fmt::format("all {} elements agree; the largest error is {:.3g}", c.n, c.max_abs.value);
  const Worst& w = c.worst.front();
  const auto times = std::isinf(w.ratio) ? std::string() : fmt::format(", {:.3g} times the tolerance,", w.ratio);
  const char* defect = c.ratio_certain > 1 ? "; no order of rounding explains it" : "";
  return fmt::format("{} of {} elements differ; the worst{} is element {}: expected {:.9g}, got {:.9g}{}", c.n_bad, c.n,
                     times, w.index, w.expected, w.got, defect);
}

}  // namespace plumb::parity
