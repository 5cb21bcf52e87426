// Parts of sums: a slice, a lane or a split that is missing or comes twice, accumulators that were not cleared.

#include <cmath>
#include <limits>

#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/slices.hpp"

namespace plumb::parity::power::faults {
namespace {

std::int64_t extent_of(const Site& site, const Summed& summed) {
  return site.operands[summed.operand].now.shape()[summed.axis];
}

/// The result with a slice of the terms `times` as often; a slice that is the whole sum is none.
std::optional<Numbers> with_slice(const Site& site, std::int64_t from, std::int64_t to, double times) {
  const auto summed = summed_axis(site);
  if (!summed || to - from >= extent_of(site, *summed)) return {};
  if (!summed->is_linear && times != 0) return {};
  const Numbers& rest = truth_without(site, *summed, from, to);
  Numbers faulty = site.truth;
  for (std::size_t i = 0; i < faulty.size(); ++i)
    if (faulty[i] != rest[i]) faulty[i] += (times - 1) * (faulty[i] - rest[i]);
  return site.carried(std::move(faulty));
}

struct Slice {
  std::int64_t from, to;
};

/// The slice in the middle of those that the kernel takes at once.
std::optional<Slice> middle_slice(const Site& site) {
  const auto summed = summed_axis(site);
  if (!summed) return {};
  const std::int64_t extent = extent_of(site, *summed), length = static_cast<std::int64_t>(site.slice);
  const std::int64_t from = extent / 2 / length * length;
  return Slice{from, std::min(from + length, extent)};
}

std::optional<Numbers> slice_missing(const Site& site) {
  const auto slice = middle_slice(site);
  return slice ? with_slice(site, slice->from, slice->to, 0) : std::nullopt;
}

std::optional<Numbers> slice_twice(const Site& site) {
  const auto slice = middle_slice(site);
  return slice ? with_slice(site, slice->from, slice->to, 2) : std::nullopt;
}

std::optional<Numbers> term_twice(const Site& site) {
  const auto summed = summed_axis(site);
  if (!summed) return {};
  return with_slice(site, extent_of(site, *summed) - 1, extent_of(site, *summed), 2);
}

std::optional<Numbers> tile_twice(const Site& site) { return with_slice(site, 0, 16, 2); }

/// The last of four splits.
std::optional<Numbers> split_missing(const Site& site) {
  const auto summed = summed_axis(site);
  if (!summed || extent_of(site, *summed) < 8) return {};
  const std::int64_t extent = extent_of(site, *summed);
  return with_slice(site, extent - extent / 4, extent, 0);
}

/// One of the lanes that share out the terms did not add its own.
std::optional<Numbers> lane_missing(const Site& site) {
  const auto summed = summed_axis(site);
  if (!summed) return {};
  std::int64_t lanes = 32;
  for (const ir::Sum& sum : site.sums)
    for (const ir::SumLevel& level : sum.levels)
      if (level.take == ir::SumTake::every && level.count > 1) lanes = level.count;
  const std::int64_t extent = extent_of(site, *summed);
  if (extent <= lanes) return {};
  return site.on(zeroed(site, *summed, [=](std::int64_t k) { return k % lanes == lanes / 2; }));
}

/// The last slice reaches beyond the terms, where garbage meets a factor 0: of a NaN or an infinity that is NaN.
std::optional<Numbers> garbage_tail(const Site& site) {
  const auto summed = summed_axis(site);
  if (!summed || !ir::is_float(site.type.dtype)) return {};
  if (extent_of(site, *summed) % static_cast<std::int64_t>(site.slice) == 0) return {};
  return Numbers(site.elements(), std::numeric_limits<double>::quiet_NaN());
}

/// Every element with the one `distance` before it added: what an accumulator held that was not cleared.
Numbers with_earlier(const Site& site, std::size_t distance) {
  Numbers faulty = site.truth;
  for (std::size_t i = distance; i < faulty.size(); ++i) faulty[i] += site.truth[i - distance];
  return site.carried(std::move(faulty));
}

std::optional<Numbers> uncleared_between_batches(const Site& site) {
  if (!summed_axis(site) || site.type.shape.size() < 3) return {};
  const std::size_t batch = site.columns() * static_cast<std::size_t>(site.type.shape[site.type.shape.size() - 2]);
  if (batch == 0 || batch >= site.elements()) return {};
  return with_earlier(site, batch);
}

std::optional<Numbers> uncleared_between_tiles(const Site& site) {
  if (!summed_axis(site) || site.columns() <= site.tile_columns) return {};
  Numbers faulty = site.truth;
  for (std::size_t i = 0; i < faulty.size(); ++i)
    if (i % site.columns() >= site.tile_columns) faulty[i] += site.truth[i - site.tile_columns];
  return site.carried(std::move(faulty));
}

constexpr auto summing = "sums of terms, of products, windows, transforms and states, too";
constexpr auto linear = "products, convolutions, attention, windows, transforms, sums, means";

constexpr Fault of_partial_sums[] = {
    {"slice_missing", "the slice in the middle of the terms is missing", summing, true, slice_missing},
    {"slice_twice", "the slice in the middle of the terms is added twice", linear, true, slice_twice},
    {"term_twice", "the last term is added twice", linear, true, term_twice},
    {"tile_twice", "the first 16 terms are added twice", linear, true, tile_twice},
    {"split_missing", "of four splits of the terms the last is missing", summing, true, split_missing},
    {"lane_missing", "the partial sum of one lane is missing", summing, true, lane_missing},
    {"garbage_tail", "garbage behind the last term is multiplied by 0", "sums that are no whole slices", true,
     garbage_tail},
    {"uncleared_between_batches", "sums begin at those of the batch before", "sums of several batches", true,
     uncleared_between_batches},
    {"uncleared_between_tiles", "sums begin at those of the tile before", "sums of several tiles a row", true,
     uncleared_between_tiles},
};

}  // namespace

std::span<const Fault> faults_of_partial_sums() { return of_partial_sums; }

}  // namespace plumb::parity::power::faults
