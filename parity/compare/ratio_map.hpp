#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/shape.hpp"

namespace plumb::parity::compare {

/// The matrices that the elements of an output lie in: row by row, and one matrix behind the other.
struct MapExtents {
  std::uint64_t rows = 1, columns = 1;

  /// Those of the last two axes; a line is a matrix of one row.
  static MapExtents of_last_axes(const ir::Shape& shape);
  bool operator==(const MapExtents&) const = default;
};

/// Where an output is off: the largest ratio, error over limit, in each part of its matrices, which lie on one another.
///
/// A cell is 127 + 127/8 log2 of that ratio, so that it is above 127 where an element is beyond its limit: 0 and 254
/// stand for 2^-8 and 2^8 and for what is beyond these as well, 255 for a ratio that is not finite, which a NaN has,
/// and an error where none is allowed. Elements that are not judged, and NaN for NaN, count as 0.
struct RatioMap {
  static constexpr std::size_t side = 64;
  static constexpr std::uint8_t at_limit = 127, largest = 254, not_finite = 255;

  MapExtents extents = {};
  std::vector<std::uint8_t> cells = {};  ///< [side][side], row by row, 0 where there is no element; empty: no map

  bool is_made() const { return !cells.empty(); }
  /// How many rows and columns of cells there are elements for: a row of fewer than `side` elements has a cell each.
  std::size_t used_rows() const { return used(extents.rows); }
  std::size_t used_columns() const { return used(extents.columns); }
  std::uint8_t at(std::size_t row, std::size_t column) const { return cells[row * side + column]; }
  bool operator==(const RatioMap&) const = default;

  static std::uint8_t code_of(double ratio);
  /// log2 of the ratio that a cell stands for.
  static double exponent_of(std::uint8_t code) { return 8.0 * (code - at_limit) / at_limit; }

 private:
  static std::size_t used(std::uint64_t extent) { return extent < side ? static_cast<std::size_t>(extent) : side; }
};

/// A map on the way.
class MapBuilder {
 public:
  explicit MapBuilder(MapExtents extents);

  /// Element `index`, flat, is that far off.
  void raise(std::uint64_t index, double ratio) {
    raise_cell(index / extents_.columns % extents_.rows, column_cell(index % extents_.columns), ratio);
  }
  /// As raise() of each of the elements from `first` on, which lie side by side, none of them NaN.
  template <class Largest>
  void raise(std::uint64_t first, const double* ratios, std::size_t count, const Largest& largest);
  void absorb(const MapBuilder& other);
  RatioMap finish() const;

 private:
  std::uint64_t column_cell(std::uint64_t column) const {
    return extents_.columns > RatioMap::side ? column * RatioMap::side / extents_.columns : column;
  }
  void raise_cell(std::uint64_t row, std::uint64_t column_cell, double ratio) {
    const std::uint64_t row_cell = extents_.rows > RatioMap::side ? row * RatioMap::side / extents_.rows : row;
    double& cell = cells_[row_cell * RatioMap::side + column_cell];
    if (cell < ratio) cell = ratio;
  }

  const MapExtents extents_;
  std::vector<std::uint64_t> ends_;  ///< by cell of a row: the column behind it
  std::vector<double> cells_;
};

/// `largest(ratios, count)` is the largest of so many: whoever calls knows the lanes of the processor.
template <class Largest>
void MapBuilder::raise(std::uint64_t first, const double* ratios, std::size_t count, const Largest& largest) {
  std::uint64_t row = first / extents_.columns % extents_.rows, column = first % extents_.columns;
  std::uint64_t cell = column_cell(column);
  while (count > 0) {
    const std::uint64_t here = ends_[cell] - column;
    const std::size_t some = here < count ? static_cast<std::size_t>(here) : count;
    raise_cell(row, cell, largest(ratios, some));
    ratios += some;
    count -= some;
    column += some;
    if (column == ends_[cell]) ++cell;
    if (column < extents_.columns) continue;
    column = cell = 0;
    if (++row == extents_.rows) row = 0;
  }
}

}  // namespace plumb::parity::compare
