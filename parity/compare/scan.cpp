// Judges and measures one element after the other, where a block of lanes is not enough.
#include "parity/compare/scan.hpp"

#include <algorithm>

namespace plumb::parity::compare {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The magnitude that limits of an element's parts are in proportion to. A part that is NaN or infinite had no
/// influence on one that is finite, and has none on its limit (verdict.md V36).
template <std::size_t parts>
double magnitude_of(const std::array<Part, parts>& element) {
  if constexpr (parts == 1) return std::abs(element[0].y);
  const double re = element[0].y, im = element[parts - 1].y;
  if (!std::isfinite(re)) return std::abs(im);
  return std::isfinite(im) ? std::hypot(re, im) : std::abs(re);
}

}  // namespace

Limit::Limit(const Allowed& allowed, ir::DType dtype)
    : allowed_(allowed), computed_(core::float_format(core::compute_dtype(dtype))), stored_(core::float_format(dtype)) {
  if (allowed.limits == nullptr) return;
  probable = allowed.limits->probable.as<double>();
  certain = allowed.limits->certain.as<double>();
  if (allowed.limits->chance) chance = allowed.limits->chance->as<double>();
  fixed_ = allowed.limits->fixed;
}

Scan::Scan(const Allowed& allowed, ir::DType dtype, bool integer, const std::optional<MapExtents>& map)
    : allowed_(allowed),
      limit_(allowed, dtype),
      spacing_(core::float_format(dtype)),
      overflow_(core::float_format(dtype).overflow()),
      integer_(integer) {
  if (map) map_.emplace(*map);
}

Finding Scan::classify_finite(std::uint64_t index, const Part& part, double magnitude) const {
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
    found.has_limit = std::isfinite(found.allowed);
    found.good = found.has_limit && found.error <= found.allowed;
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

Finding Scan::classify(std::uint64_t index, const Part& part, double magnitude) const {
  if (std::isnan(part.y) || std::isnan(part.c)) {
    const bool both = std::isnan(part.y) && std::isnan(part.c);
    return {.good = both, .error = both ? 0 : infinity};
  }
  const bool overflows = std::isinf(part.r) && allowed_.rule != Allowed::Rule::within;
  if (std::isfinite(part.y) && std::isfinite(part.c) && !overflows) return classify_finite(index, part, magnitude);
  if (part.c == part.y || part.c == part.r) return {};  // also a finite truth that overflows
  const double limit = limit_.at(magnitude, index);
  const bool reaches = allowed_.rule == Allowed::Rule::within && std::isfinite(part.y) && std::isfinite(limit) &&
                       std::abs(part.y) + limit >= overflow_ && std::signbit(part.c) == std::signbit(part.y);
  if (reaches) return {};
  return {.good = false, .error = infinity};
}

template <std::size_t parts>
void Scan::count_element(const std::array<Part, parts>& element, const std::array<double, parts>& first) {
  bool nan_y = false, nan_c = false, inf_y = false, inf_c = false, zero = true, exact = true;
  for (std::size_t p = 0; p < parts; ++p) {
    const double y = element[p].y, c = element[p].c;
    zero &= y == 0;
    exact &= y == c;
    if (!(y == first[p] || (std::isnan(y) && std::isnan(first[p])))) result_.constant = false;
    if (std::isfinite(y - c)) continue;
    nan_y |= std::isnan(y);
    nan_c |= std::isnan(c);
    inf_y |= std::isinf(y);
    inf_c |= std::isinf(c);
  }
  ++result_.n;
  result_.n_zero_expected += zero;
  result_.n_exact += exact && !zero;
  if (!(nan_y || nan_c || inf_y || inf_c)) return;
  result_.n_nan_expected += nan_y;
  result_.n_nan_got += nan_c;
  result_.n_inf_expected += inf_y;
  result_.n_inf_got += inf_c;
}

/// Few at a time, so that little is lost in a large sum.
void Scan::add_sums(const Moments& sums) {
  block_ += sums;
  if (block_.parts >= 1024) {
    total_ += block_;
    block_ = {};
  }
}

void Scan::measure(std::uint64_t index, const Part& part, const Finding& found, double magnitude) {
  raise(result_.max_abs, {found.error, index});
  // Dividing only where the quotient is larger than before; not where it is NaN.
  const bool may_raise = !(found.error <= result_.max_rel.value * magnitude * (1 - 0x1p-50));
  if (may_raise && magnitude > 0) raise(result_.max_rel, {found.error / magnitude, index});
  if (limit_.knows_certain() && !(found.error <= result_.ratio_certain * found.certain))
    raise(result_.ratio_certain, found.ratio_certain());
  if (limit_.knows_chance()) raise_sigma(found.error, found.allowed, limit_.chance_at(magnitude, index));
  const double reference = integer_ || allowed_.rule == Allowed::Rule::within ? part.y : part.r;
  const double error = part.c - reference;
  if (!integer_) {
    const double ulps = found.error == 0 ? 0 : found.error / spacing_.at(magnitude);
    raise(result_.max_ulp, {ulps, index});
    ulps_.add(static_cast<float>(error < 0 ? -ulps : ulps));
  }
  add_sums({1, error, error * error, std::abs(part.y), part.y * part.y, part.c * part.c, part.y * part.c});
  raise(result_.expected_absmax, std::abs(part.y));
}

/// By how many standard deviations an element is beyond what a fixed number of roundings explains.
void Scan::raise_sigma(double error, double allowed, double chance) {
  if (chance > 0 && chance < infinity && allowed < infinity)
    raise(result_.sigma_max, allowed_.lambda * (1 + (error - allowed) / chance));
  else if (error > allowed)
    raise(result_.sigma_max, infinity);
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
  if (kept.size() > Comparison::worst_kept) {
    kept.pop_back();
    worst_errors_.pop_back();
  }
}

template <std::size_t parts>
void Scan::element(std::uint64_t index, const std::array<Part, parts>& element,
                   const std::array<double, parts>& first) {
  if (limit_.is_apart(index)) {
    ++result_.n;
    ++result_.n_apart;
    return;
  }
  count_element(element, first);
  const double modulus = magnitude_of(element);
  Worst worst{.index = index};
  double error = -1, ratio = -1;
  bool bad = false, any = false, nan = false, special = false, unlimited = false;
  for (const Part& part : element) {
    const double magnitude = allowed_.by_part ? std::abs(part.y) : modulus;
    const Finding found = classify(index, part, magnitude);
    if (found.finite)
      measure(index, part, found, magnitude);
    else if (found.good)
      continue;  // NaN met NaN, infinity its own: nothing to measure
    else {
      special = true;
      nan |= std::isnan(part.y) || std::isnan(part.c);
    }
    any = true;
    unlimited |= !found.has_limit;
    bad |= !found.good;
    const double found_ratio = found.ratio();
    if (found_ratio < ratio || (found_ratio == ratio && found.error <= error)) continue;
    error = found.error;
    ratio = found_ratio;
    worst = {index, part.y, part.c, found.allowed, ratio};
  }
  result_.n_bad += bad;
  result_.n_without_limit += unlimited;
  result_.n_nan_differ += nan;
  result_.n_inf_differ += special && !nan;
  if (!any) return;
  if (!special && !(ratio <= result_.ratio_finite)) result_.ratio_finite = ratio;
  ratios_.add(static_cast<float>(ratio));
  if (map_) map_->raise(index, ratio);
  keep_worst(worst, error);
}

void Scan::absorb(const Scan& other) {
  const Comparison& found = other.result_;
  result_.n += found.n;
  result_.n_bad += found.n_bad;
  result_.n_zero_expected += found.n_zero_expected;
  result_.n_apart += found.n_apart;
  result_.n_exact += found.n_exact;
  result_.n_without_limit += found.n_without_limit;
  result_.n_nan_expected += found.n_nan_expected;
  result_.n_nan_got += found.n_nan_got;
  result_.n_inf_expected += found.n_inf_expected;
  result_.n_inf_got += found.n_inf_got;
  result_.n_nan_differ += found.n_nan_differ;
  result_.n_inf_differ += found.n_inf_differ;
  result_.constant &= found.constant;
  raise(result_.max_abs, found.max_abs);
  raise(result_.max_rel, found.max_rel);
  raise(result_.max_ulp, found.max_ulp);
  raise(result_.expected_absmax, found.expected_absmax);
  raise(result_.ratio_finite, found.ratio_finite);
  raise(result_.ratio_certain, found.ratio_certain);
  raise(result_.sigma_max, found.sigma_max);
  for (std::size_t k = 0; k < found.worst.size(); ++k) keep_worst(found.worst[k], other.worst_errors_[k]);
  ulps_.add(other.ulps_);
  ratios_.add(other.ratios_);
  if (map_) map_->absorb(*other.map_);
}

/// Says what the limit of the worst element is made of, where the parts give that limit again.
void Scan::describe_limit() {
  constexpr double close = 1e-9;
  WorstLimit& limit = result_.limit;
  limit.rule = integer_ ? Allowed::Rule::exact : allowed_.rule;
  if (result_.worst.empty() || *limit.rule != Allowed::Rule::within) return;
  const Worst& worst = result_.worst.front();
  const double magnitude = std::abs(worst.expected);
  if (!(std::abs(limit_.at(magnitude, worst.index) - worst.allowed) <= close * worst.allowed)) return;
  if (limit_.knows_chance()) limit.chance = limit_.chance_at(magnitude, worst.index);
  if (limit_.knows_certain()) limit.certain = limit_.certain_at(magnitude, worst.index);
}

Comparison Scan::finish(const Moments& sums) {
  result_.ulp_p50 = ulps_.at(0.5);
  result_.ulp_p99 = ulps_.at(0.99);
  result_.ulp_p999 = ulps_.at(0.999);
  result_.ratio_p99 = ratios_.at(0.99);
  ulps_.for_each_size([&](bool negative, int exponent, bool, std::uint64_t count) {
    const int k = std::clamp(exponent + 7, 0, ulp_half - 1);
    result_.hist_ulp[static_cast<std::size_t>(negative ? ulp_half - 1 - k : ulp_half + k)] += count;
  });
  ratios_.for_each_size([&](bool, int exponent, bool upper, std::uint64_t count) {
    const int k = 2 * (exponent + 16) + 1 + (upper ? 1 : 0);
    result_.hist_ratio[static_cast<std::size_t>(std::clamp(k, 0, int{Comparison::ratio_bins} - 1))] += count;
  });
  if (map_) result_.map = map_->finish();
  describe_limit();
  sums.describe(result_);
  return std::move(result_);
}

template void Scan::element(std::uint64_t, const std::array<Part, 1>&, const std::array<double, 1>&);
template void Scan::element(std::uint64_t, const std::array<Part, 2>&, const std::array<double, 2>&);

}  // namespace plumb::parity::compare
