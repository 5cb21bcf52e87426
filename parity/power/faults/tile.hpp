// The tile of an output in which faults of layout are planted.
#pragma once

#include <algorithm>

#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

inline constexpr std::size_t tile_extent = 16;

/// A block of an output seen as rows and columns.
struct Tile {
  std::size_t row = 0, column = 0, rows = 0, columns = 0;
};

/// The tile in the middle, cut off at the edges.
inline Tile middle_tile(const Site& site) {
  if (site.elements() == 0) return {};
  Tile tile{site.rows() / 2 / tile_extent * tile_extent, site.columns() / 2 / tile_extent * tile_extent};
  tile.rows = std::min(tile_extent, site.rows() - tile.row);
  tile.columns = std::min(tile_extent, site.columns() - tile.column);
  return tile;
}

/// The candidate's output with `other(row, column)` within the tile.
template <class Other>
Numbers with_tile(const Site& site, const Tile& tile, Other other) {
  Numbers faulty = site.got;
  for (std::size_t r = tile.row; r < tile.row + tile.rows; ++r)
    for (std::size_t c = tile.column; c < tile.column + tile.columns; ++c) faulty[r * site.columns() + c] = other(r, c);
  return faulty;
}

}  // namespace plumb::parity::power::faults
