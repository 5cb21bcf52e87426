#include <algorithm>

#include "parity/compare/scan.hpp"

namespace plumb::parity::compare {
namespace {

// Loops over lanes side by side; what needs more than sums, a new extreme or one of the worst, is looked for only in
// blocks that have it.

template <class At>
[[gnu::always_inline]] inline void for_each(const At& at) {
  for (std::size_t i = 0; i < ScanBlock::size; i += core::lanes) at(i);
}

constexpr double above_everything = std::numeric_limits<double>::infinity();
constexpr double nearly_one = 1 - 0x1p-50;

/// An extreme to compare with: of none, what everything is above.
double or_none(double extreme) { return std::isnan(extreme) ? -1 : extreme; }

/// Numbers of a block's elements, 1 behind their end and where there are none.
void read(std::span<const double> all, const ScanBlock& block, double none, ScanBlock::Numbers& to) {
  if (all.empty()) return to.fill(none);
  const auto here = all.subspan(block.first, block.count);
  std::fill(std::copy(here.begin(), here.end(), to.begin()), to.end(), 1.0);
}

}  // namespace

/// How far off each element of a block is, and how far it may be.
struct Scan::Row {
  alignas(64) ScanBlock::Numbers error, abs_error, allowed, ratio, ulps;
  double most = 0, most_ratio = 0, most_ulps = 0;
};

bool Scan::block(const ScanBlock& block) {
  if (integer_ || limit_.has_apart()) return false;
  return allowed_.rule == Allowed::Rule::within ? add_within(block) : add_equal(block);
}

/// Counts, and sums of the truth alone.
void Scan::add_truth(const ScanBlock& block) {
  const core::f64x8 first = core::f64x8{} + block.first_of_all;
  core::i64x8 exact = {}, zero = {}, other = {};
  core::f64x8 most = {}, y1 = {}, y2 = {}, y, c, magnitude;
  for_each([&](std::size_t i) {
    core::load(y, &block.y[i]);
    core::load(c, &block.c[i]);
    core::set_magnitude(magnitude, y);
    zero -= y == 0;
    exact -= (y == c) & (y != 0);
    other -= y != first;
    core::raise(most, magnitude);
    y1 += magnitude;
    y2 += y * y;
  });
  const std::uint64_t padding = ScanBlock::size - block.count;
  result_.n += block.count;
  result_.n_zero_expected += core::count(zero) - padding;
  result_.n_exact += core::count(exact);
  if (core::count(other) != (block.first_of_all == 0 ? 0 : padding)) result_.constant = false;
  raise(result_.expected_absmax, core::largest(most));
  block_.parts += static_cast<double>(block.count);
  block_.y1 += core::sum(y1);
  block_.y2 += core::sum(y2);
}

bool Scan::add_within(const ScanBlock& block) {
  Row row;
  core::f64x8 error = {}, error2 = {}, c2 = {}, yc = {}, nan = {}, y, c;
  for_each([&](std::size_t i) {
    core::load(y, &block.y[i]);
    core::load(c, &block.c[i]);
    const core::f64x8 d = c - y;
    core::store(&row.error[i], d);
    nan += d - d;
    error += d;
    error2 += d * d;
    c2 += c * c;
    yc += y * c;
  });
  if (!(core::sum(nan) == 0)) return false;
  add_truth(block);
  add_sums({0, core::sum(error), core::sum(error2), 0, 0, core::sum(c2), core::sum(yc)});

  read(limit_.probable, block, 0, row.allowed);
  const core::f64x8 none = {}, everything = none + above_everything;
  core::f64x8 most = {}, most_ratio = {}, most_ulps = {}, magnitude, abs_error, limit, spacing;
  core::i64x8 good = {}, limited = {};
  for_each([&](std::size_t i) {
    core::load(magnitude, &block.y[i]);
    core::load(abs_error, &row.error[i]);
    core::load(limit, &row.allowed[i]);
    core::set_magnitude(magnitude, magnitude);
    core::set_magnitude(abs_error, abs_error);
    limit_.with(limit, magnitude);
    spacing_.at(spacing, magnitude);
    const core::f64x8 quotient = abs_error / limit, ulps = abs_error / spacing,
                      beyond_zero = limit > 0 ? quotient : everything;
    const core::i64x8 is_exact = (abs_error == 0) & (limit >= 0);
    const core::i64x8 is_limited = limit < everything;
    const core::f64x8 ratio = is_exact ? none : is_limited ? beyond_zero : everything;
    core::store(&row.abs_error[i], abs_error);
    core::store(&row.allowed[i], limit);
    core::store(&row.ratio[i], ratio);
    core::store(&row.ulps[i], ulps);
    core::raise(most, abs_error);
    core::raise(most_ratio, ratio);
    core::raise(most_ulps, ulps);
    good -= (abs_error <= limit) & is_limited;
    limited -= is_limited;
  });
  row.most = core::largest(most);
  row.most_ratio = core::largest(most_ratio);
  row.most_ulps = core::largest(most_ulps);
  result_.n_bad += ScanBlock::size - core::count(good);
  result_.n_without_limit += ScanBlock::size - core::count(limited);
  raise_extremes(block, row);
  if (limit_.knows_certain()) raise_certain(block, row);
  if (limit_.knows_chance()) raise_sigma(block, row);
  count_ratios(block, row);
  if (map_) raise_map(block, row);
  return true;
}

void Scan::count_ratios(const ScanBlock& block, const Row& row) {
  std::array<float, ScanBlock::size> ratios, ulps;
  for (std::size_t i = 0; i < ScanBlock::size; ++i) {
    ratios[i] = static_cast<float>(row.ratio[i]);
    ulps[i] = static_cast<float>(row.error[i] < 0 ? -row.ulps[i] : row.ulps[i]);
  }
  ratios_.add(std::span(ratios).first(block.count));
  ulps_.add(std::span(ulps).first(block.count));
}

void Scan::raise_map(const ScanBlock& block, const Row& row) {
  map_->raise(block.first, row.ratio.data(), block.count, [](const double* ratios, std::size_t count) {
    // g++ 12 takes f64x8 apart here where registers have four lanes.
    double a = 0, b = 0, c = 0, d = 0;
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      a = std::max(a, ratios[i]);
      b = std::max(b, ratios[i + 1]);
      c = std::max(c, ratios[i + 2]);
      d = std::max(d, ratios[i + 3]);
    }
    for (; i < count; ++i) a = std::max(a, ratios[i]);
    return std::max(std::max(a, b), std::max(c, d));
  });
}

void Scan::raise_extremes(const ScanBlock& block, const Row& row) {
  raise(result_.ratio_finite, row.most_ratio);
  if (!(row.most <= result_.max_abs.value)) raise_to_largest(result_.max_abs, row.abs_error, block.first);
  if (!(row.most_ulps <= result_.max_ulp.value)) raise_to_largest(result_.max_ulp, row.ulps, block.first);
  const double relative = or_none(result_.max_rel.value) * nearly_one;
  core::f64x8 abs_error, magnitude;
  core::i64x8 beyond = {};
  for_each([&](std::size_t i) {
    core::load(abs_error, &row.abs_error[i]);
    core::load(magnitude, &block.y[i]);
    core::set_magnitude(magnitude, magnitude);
    beyond |= (magnitude > 0) & (abs_error > relative * magnitude);
  });
  if (core::count(beyond) != 0) {
    alignas(64) ScanBlock::Numbers quotients;
    const core::f64x8 none = core::f64x8{} - 1;
    for_each([&](std::size_t i) {
      core::load(abs_error, &row.abs_error[i]);
      core::load(magnitude, &block.y[i]);
      core::set_magnitude(magnitude, magnitude);
      const core::f64x8 quotient = abs_error / magnitude;
      core::store(&quotients[i], magnitude > 0 ? quotient : none);
    });
    raise_to_largest(result_.max_rel, quotients, block.first);
  }
  const auto& kept = result_.worst;
  const auto is_among = [&](double ratio, double error) {
    if (kept.size() < Comparison::worst_kept) return true;
    return ratio > kept.back().ratio || (ratio == kept.back().ratio && error > worst_errors_.back());
  };
  if (!is_among(row.most_ratio, row.most)) return;
  for (std::size_t i = 0; i < block.count; ++i)
    if (is_among(row.ratio[i], row.abs_error[i]))
      keep_worst({block.first + i, block.y[i], block.c[i], row.allowed[i], row.ratio[i]}, row.abs_error[i]);
}

void Scan::raise_certain(const ScanBlock& block, const Row& row) {
  alignas(64) ScanBlock::Numbers certain;
  read(limit_.certain, block, 0, certain);
  const double so_far = or_none(result_.ratio_certain);
  core::f64x8 abs_error, magnitude, limit;
  core::i64x8 within = {};
  for_each([&](std::size_t i) {
    core::load(magnitude, &block.y[i]);
    core::load(abs_error, &row.abs_error[i]);
    core::load(limit, &certain[i]);
    core::set_magnitude(magnitude, magnitude);
    limit_.with(limit, magnitude);
    core::store(&certain[i], limit);
    within -= abs_error <= so_far * limit;
  });
  if (core::count(within) == ScanBlock::size) return;
  for (std::size_t i = 0; i < block.count; ++i) {
    const Finding found{.good = row.abs_error[i] <= row.allowed[i], .error = row.abs_error[i], .certain = certain[i]};
    if (!(row.abs_error[i] <= or_none(result_.ratio_certain) * certain[i]))
      raise(result_.ratio_certain, found.ratio_certain());
  }
}

void Scan::raise_sigma(const ScanBlock& block, const Row& row) {
  constexpr double below_everything = -1e300;  // times a chance of 0 it is still a number
  alignas(64) ScanBlock::Numbers chance;
  read(limit_.chance.empty() ? limit_.probable : limit_.chance, block, 0, chance);
  const double so_far =
      std::isnan(result_.sigma_max) ? below_everything : std::max(result_.sigma_max / allowed_.lambda - 1, -1e300);
  core::f64x8 error, allowed, magnitude, here;
  core::i64x8 beyond = {};
  for_each([&](std::size_t i) {
    core::load(error, &row.abs_error[i]);
    core::load(allowed, &row.allowed[i]);
    core::load(here, &chance[i]);
    core::load(magnitude, &block.y[i]);
    core::set_magnitude(magnitude, magnitude);
    limit_.set_chance(here, magnitude);
    core::store(&chance[i], here);
    beyond -= error - allowed > so_far * here;
  });
  if (core::count(beyond) == 0) return;
  for (std::size_t i = 0; i < block.count; ++i) raise_sigma(row.abs_error[i], row.allowed[i], chance[i]);
}

/// Where all are the truth rounded, in every bit: errors of 0, in ratios, too.
bool Scan::add_equal(const ScanBlock& block) {
  core::f64x8 nan = {}, c2 = {}, yc = {}, y, c, r;
  core::i64x8 differ = {};
  for_each([&](std::size_t i) {
    core::load(y, &block.y[i]);
    core::load(c, &block.c[i]);
    core::load(r, &block.r[i]);
    nan += (y - y) + (r - r);
    differ |= reinterpret_cast<core::i64x8>(c) ^ reinterpret_cast<core::i64x8>(r);
    c2 += c * c;
    yc += y * c;
  });
  bool differs = false;
  for (std::size_t l = 0; l < core::lanes; ++l) differs |= differ[l] != 0;
  if (!(core::sum(nan) == 0) || differs) return false;
  add_truth(block);
  add_sums({0, 0, 0, 0, 0, core::sum(c2), core::sum(yc)});
  raise(result_.max_abs, {0, block.first});
  raise(result_.max_ulp, {0, block.first});
  raise(result_.ratio_finite, 0);
  if (std::isnan(result_.max_rel.value))
    for (std::size_t i = 0; i < block.count && std::isnan(result_.max_rel.value); ++i)
      if (block.y[i] != 0) result_.max_rel = {0, block.first + i};
  const double allowed = allowed_.rule == Allowed::Rule::bits ? 0 : allowed_.subnormal;
  for (std::size_t i = 0; i < block.count && result_.worst.size() < Comparison::worst_kept; ++i)
    keep_worst({block.first + i, block.y[i], block.c[i], allowed, 0}, 0);
  ratios_.add_zeros(block.count);
  ulps_.add_zeros(block.count);
  return true;
}

}  // namespace plumb::parity::compare
