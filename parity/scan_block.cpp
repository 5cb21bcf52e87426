#include <algorithm>

#include "parity/scan.hpp"

namespace plumb::parity {
namespace {

// Loops over lanes side by side, of which compilers make vector code; sums have one order whatever the machine.
// What needs more than sums, a new extreme or one of the worst, is looked for only in blocks that have it.

constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

double sum(const Lanes& of) {
  double all = 0;
  for (const double one : of) all += one;
  return all;
}
double largest(const Lanes& of) { return *std::ranges::max_element(of); }

template <class At>
void for_each(const At& at) {
  for (std::size_t i = 0; i < ScanBlock::size; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) at(i + l, l);
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

/// Of each element of a block: how far off it is, and may be.
struct Scan::Row {
  alignas(64) ScanBlock::Numbers error, allowed, ratio, ulps;
  double most = 0, most_ratio = 0, most_ulps = 0;
};

bool Scan::block(const ScanBlock& block) {
  if (integer_) return false;
  return allowed_.rule == Allowed::Rule::within ? add_within(block) : add_equal(block);
}

/// Counts, and sums of the truth alone.
void Scan::add_truth(const ScanBlock& block) {
  Lanes exact = {}, zero = {}, other = {}, most = {}, y1 = {}, y2 = {};
  for_each([&](std::size_t i, std::size_t l) {
    const double y = block.y[i], size = std::abs(y), is_same = y == block.c[i] ? 1 : 0;
    zero[l] += y == 0 ? 1 : 0, exact[l] += y == 0 ? 0 : is_same, other[l] += y != block.first_of_all ? 1 : 0;
    most[l] = std::max(most[l], size), y1[l] += size, y2[l] += y * y;
  });
  const auto padding = static_cast<double>(ScanBlock::size - block.count);
  result_.n += block.count;
  result_.n_zero_expected += static_cast<std::uint64_t>(sum(zero) - padding);
  result_.n_exact += static_cast<std::uint64_t>(sum(exact));
  if (sum(other) != (block.first_of_all == 0 ? 0 : padding)) result_.constant = false;
  raise(result_.expected_absmax, largest(most));
  block_.parts += static_cast<double>(block.count), block_.y1 += sum(y1), block_.y2 += sum(y2);
}

bool Scan::add_within(const ScanBlock& block) {
  Row row;
  Lanes error = {}, error2 = {}, c2 = {}, yc = {}, no_number = {};
  for_each([&](std::size_t i, std::size_t l) {
    const double y = block.y[i], c = block.c[i], d = c - y;
    row.error[i] = d, no_number[l] += d - d;
    error[l] += d, error2[l] += d * d, c2[l] += c * c, yc[l] += y * c;
  });
  if (!(sum(no_number) == 0)) return false;
  add_truth(block);
  add_sums({0, sum(error), sum(error2), 0, 0, sum(c2), sum(yc)});

  read(limit_.probable, block, 0, row.allowed);
  Lanes most = {}, most_ratio = {}, most_ulps = {}, bad = {};
  for_each([&](std::size_t i, std::size_t l) {
    const double magnitude = std::abs(block.y[i]), size = std::abs(row.error[i]);
    const double limit = limit_.with(row.allowed[i], magnitude), quotient = size / limit;
    const double beyond_zero = limit > 0 ? quotient : above_everything;
    const double ratio = size == 0 && limit >= 0 ? 0 : beyond_zero, ulps = size / spacing_.at(magnitude);
    row.allowed[i] = limit, row.ratio[i] = ratio, row.ulps[i] = ulps;
    most[l] = std::max(most[l], size), most_ratio[l] = std::max(most_ratio[l], ratio);
    most_ulps[l] = std::max(most_ulps[l], ulps), bad[l] += size <= limit ? 0 : 1;
  });
  row.most = largest(most), row.most_ratio = largest(most_ratio), row.most_ulps = largest(most_ulps);
  result_.n_bad += static_cast<std::uint64_t>(sum(bad));
  raise_extremes(block, row);
  if (limit_.knows_certain()) raise_certain(block, row);
  std::array<float, ScanBlock::size> ratios, ulps;
  for (std::size_t i = 0; i < ScanBlock::size; ++i) {
    ratios[i] = static_cast<float>(row.ratio[i]);
    ulps[i] = static_cast<float>(row.error[i] < 0 ? -row.ulps[i] : row.ulps[i]);
  }
  ratios_.add(std::span(ratios).first(block.count)), ulps_.add(std::span(ulps).first(block.count));
  return true;
}

void Scan::raise_extremes(const ScanBlock& block, const Row& row) {
  raise(result_.ratio_finite, row.most_ratio);
  const double relative = or_none(result_.max_rel.value) * nearly_one;
  Lanes beyond = {};
  for_each([&](std::size_t i, std::size_t l) {
    const double size = std::abs(row.error[i]), magnitude = std::abs(block.y[i]);
    beyond[l] = std::max(beyond[l], magnitude > 0 && size > relative * magnitude ? 1.0 : 0.0);
  });
  const bool is_further = !(row.most <= result_.max_abs.value) || !(row.most_ulps <= result_.max_ulp.value);
  if (is_further || largest(beyond) > 0)
    for (std::size_t i = 0; i < block.count; ++i) {
      const double size = std::abs(row.error[i]), magnitude = std::abs(block.y[i]);
      const std::uint64_t index = block.first + i;
      raise(result_.max_abs, {size, index}), raise(result_.max_ulp, {row.ulps[i], index});
      if (magnitude > 0) raise(result_.max_rel, {size / magnitude, index});
    }
  const auto& kept = result_.worst;
  const bool is_full = kept.size() == Comparison::worst_kept;
  const auto is_among = [&](double ratio, double size) {
    return ratio > kept.back().ratio || (ratio == kept.back().ratio && size > worst_errors_.back());
  };
  if (is_full && !is_among(row.most_ratio, row.most)) return;
  for (std::size_t i = 0; i < block.count; ++i)
    keep_worst({block.first + i, block.y[i], block.c[i], row.allowed[i], row.ratio[i]}, std::abs(row.error[i]));
}

void Scan::raise_certain(const ScanBlock& block, const Row& row) {
  alignas(64) ScanBlock::Numbers certain;
  read(limit_.certain, block, 0, certain);
  const double so_far = or_none(result_.ratio_certain);
  Lanes beyond = {};
  for_each([&](std::size_t i, std::size_t l) {
    certain[i] = limit_.with(certain[i], std::abs(block.y[i]));
    beyond[l] = std::max(beyond[l], std::abs(row.error[i]) <= so_far * certain[i] ? 0.0 : 1.0);
  });
  if (largest(beyond) == 0) return;
  for (std::size_t i = 0; i < block.count; ++i) {
    const double size = std::abs(row.error[i]);
    const Finding found{.good = size <= row.allowed[i], .error = size, .certain = certain[i]};
    if (!(size <= so_far * certain[i])) raise(result_.ratio_certain, found.ratio_certain());
  }
}

/// Where all are the truth rounded, in every bit: errors of 0, in ratios, too.
bool Scan::add_equal(const ScanBlock& block) {
  Lanes no_number = {}, c2 = {}, yc = {};
  std::array<std::uint64_t, lanes> differ = {};
  for_each([&](std::size_t i, std::size_t l) {
    const double y = block.y[i], c = block.c[i], r = block.r[i];
    no_number[l] += (y - y) + (r - r);
    differ[l] |= std::bit_cast<std::uint64_t>(c) ^ std::bit_cast<std::uint64_t>(r);
    c2[l] += c * c, yc[l] += y * c;
  });
  if (!(sum(no_number) == 0) || std::ranges::any_of(differ, [](std::uint64_t bits) { return bits != 0; })) return false;
  add_truth(block);
  add_sums({0, 0, 0, 0, 0, sum(c2), sum(yc)});
  raise(result_.max_abs, {0, block.first}), raise(result_.max_ulp, {0, block.first}), raise(result_.ratio_finite, 0);
  if (std::isnan(result_.max_rel.value))
    for (std::size_t i = 0; i < block.count && std::isnan(result_.max_rel.value); ++i)
      if (block.y[i] != 0) result_.max_rel = {0, block.first + i};
  const double allowed = allowed_.rule == Allowed::Rule::bits ? 0 : allowed_.subnormal;
  for (std::size_t i = 0; i < block.count && result_.worst.size() < Comparison::worst_kept; ++i)
    keep_worst({block.first + i, block.y[i], block.c[i], allowed, 0}, 0);
  ratios_.add_zeros(block.count), ulps_.add_zeros(block.count);
  return true;
}

}  // namespace plumb::parity
