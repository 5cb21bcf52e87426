// Cells of maps: which elements lie in one, and how a ratio becomes a byte.
#include "parity/compare/ratio_map.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::compare {

MapExtents MapExtents::of_last_axes(const ir::Shape& shape) {
  const auto extent = [&](std::size_t from_last) {
    return shape.size() < from_last ? std::uint64_t{1} : static_cast<std::uint64_t>(shape[shape.size() - from_last]);
  };
  return {extent(2), extent(1)};
}

std::uint8_t RatioMap::code_of(double ratio) {
  if (!std::isfinite(ratio)) return not_finite;
  if (!(ratio > 0)) return 0;
  const double code = std::round(at_limit + at_limit / 8.0 * std::log2(ratio));
  // Rounding does not move a ratio to the other side of its limit.
  const double least = ratio > 1 ? at_limit + 1.0 : 0, most = ratio > 1 ? double{largest} : double{at_limit};
  return static_cast<std::uint8_t>(std::clamp(code, least, most));
}

MapBuilder::MapBuilder(MapExtents extents) : extents_(extents), cells_(RatioMap::side * RatioMap::side, 0.0) {
  const std::uint64_t columns = extents_.columns, cells = std::min<std::uint64_t>(columns, RatioMap::side);
  for (std::uint64_t cell = 1; cell <= cells; ++cell)
    ends_.push_back(columns > RatioMap::side ? (cell * columns + RatioMap::side - 1) / RatioMap::side : cell);
}

void MapBuilder::absorb(const MapBuilder& other) {
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = std::max(cells_[i], other.cells_[i]);
}

RatioMap MapBuilder::finish() const {
  RatioMap map{.extents = extents_};
  map.cells.reserve(cells_.size());
  for (const double ratio : cells_) map.cells.push_back(RatioMap::code_of(ratio));
  return map;
}

}  // namespace plumb::parity::compare
