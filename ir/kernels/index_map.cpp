// Index maps in fewest axes and widest words, and runs of neighbours where an axis is filled, clamped or wrapped.
#include "ir/kernels/index_map.hpp"

#include <limits>

namespace plumb::ir::kernels {
namespace {

constexpr std::size_t widest_load = 16;  // bytes; what a GPU loads at once
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

std::int64_t floor_mod(std::int64_t a, std::int64_t n) { return a % n < 0 ? a % n + n : a % n; }

/// Whether blocks of neighbours along a turned or padded axis stay together in y.
bool moves_blocks(Beyond beyond) { return beyond == Beyond::fill || beyond == Beyond::wrap; }

void merge_axes(IndexMap& map) {
  std::vector<MapAxis> merged;
  for (const MapAxis& axis : map.axes) {
    if (axis.is_whole() && axis.extent == 1) continue;
    if (!merged.empty() && axis.is_whole()) {
      MapAxis& outer = merged.back();
      const bool together = outer.is_whole() || moves_blocks(map.beyond);
      if (together && outer.stride == axis.extent * axis.stride) {
        outer = {outer.extent * axis.extent, outer.size * axis.extent, outer.shift * axis.extent, axis.stride};
        continue;
      }
    }
    merged.push_back(axis);
  }
  map.axes = std::move(merged);
}

/// How many neighbours always move together: a power of two.
std::int64_t run_factor(const IndexMap& map) {
  if (map.axes.empty() || map.axes.back().stride != 1) return 1;
  const MapAxis& row = map.axes.back();
  if (!row.is_whole() && !moves_blocks(map.beyond)) return 1;
  auto factor = static_cast<std::int64_t>(widest_load / map.width);
  const auto align = [&](std::int64_t distance) {
    while (distance % factor != 0) factor /= 2;
  };
  for (const std::int64_t distance : {row.extent, row.size, row.shift, map.from}) align(distance);
  for (std::size_t k = 0; k + 1 < map.axes.size(); ++k) align(map.axes[k].stride);
  return factor;
}

}  // namespace

std::int64_t IndexMap::elements() const {
  std::int64_t n = 1;
  for (const MapAxis& axis : axes) n *= axis.extent;
  return n;
}

IndexMap IndexMap::simplified() const {
  IndexMap map = *this;
  merge_axes(map);
  const std::int64_t factor = run_factor(map);
  if (factor == 1) return map;
  map.width *= static_cast<std::size_t>(factor);
  map.from /= factor;
  MapAxis& row = map.axes.back();
  row = {row.extent / factor, row.size / factor, row.shift / factor, 1};
  for (std::size_t k = 0; k + 1 < map.axes.size(); ++k) map.axes[k].stride /= factor;
  return map;
}

MapRun run_at(const MapAxis& axis, Beyond beyond, std::int64_t j) {
  const std::int64_t at = j + axis.shift, last = axis.size - 1;
  if (at >= 0 && at <= last) return {at, 1, axis.size - at};
  switch (beyond) {
    case Beyond::fill:
      return {-1, 0, at < 0 && last >= 0 ? -at : endless};
    case Beyond::clamp:
      return at < 0 ? MapRun{0, 0, -at} : MapRun{last, 0, endless};
    case Beyond::wrap: {
      if (last == 0) return {0, 0, endless};
      const std::int64_t within = floor_mod(at, axis.size);
      return {within, 1, axis.size - within};
    }
    case Beyond::reflect: {
      const std::int64_t within = floor_mod(at, 2 * last);
      return within < last ? MapRun{within, 1, last - within} : MapRun{2 * last - within, -1, 2 * last - within};
    }
  }
  return {};
}

}  // namespace plumb::ir::kernels
