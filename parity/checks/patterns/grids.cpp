// Patterns of place in two dimensions: corners, tiles of a grid, every other tile; and elements at equal distances.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "parity/checks/patterns/place_classes.hpp"

namespace plumb::parity::checks::patterns {
namespace {

using cases::Pattern;
using cases::PatternKind;

constexpr std::int64_t smallest_tile = 8, largest_tile = 256, longest_stride = 256;

std::string span_text(const char* one, std::int64_t first, std::int64_t end) {
  return end - first == 1 ? fmt::format("{} {}", one, first) : fmt::format("{}s {} to {}", one, first, end - 1);
}

/// Edges of tiles along an axis: powers of 2 that cut it, and all of it.
std::vector<std::int64_t> tile_edges(std::int64_t extent) {
  std::vector<std::int64_t> edges;
  for (std::int64_t edge = smallest_tile; edge <= largest_tile && edge < extent; edge *= 2) edges.push_back(edge);
  edges.push_back(extent);
  return edges;
}

/// Edges of corners: powers of 2 up to half of the axis, and what tiles leave at its end.
std::vector<std::int64_t> corner_edges(std::int64_t extent) {
  std::set<std::int64_t> edges;
  for (std::int64_t edge = 1; edge <= extent / 2; edge *= 2) edges.insert(edge);
  for (std::int64_t tile = smallest_tile / 2; tile <= largest_tile; tile *= 2)
    if (const std::int64_t left = extent % tile; left > 0 && left <= extent / 2) edges.insert(left);
  return {edges.begin(), edges.end()};
}

/// The place of the first edge that is longer than the distance; their number where none is.
std::size_t first_beyond(const std::vector<std::int64_t>& edges, std::int64_t distance) {
  return static_cast<std::size_t>(std::ranges::upper_bound(edges, distance) - edges.begin());
}

/// One of the four corners: from the ends of the axes, or from their beginnings.
void try_corner(std::span<const Place> places, const Extents& n, bool from_below, bool from_right, BestClass& best) {
  const std::vector<std::int64_t> heights = corner_edges(n.rows), widths = corner_edges(n.columns);
  std::vector<double> counts((heights.size() + 1) * (widths.size() + 1));
  const auto count = [&](std::size_t h, std::size_t w) -> double& { return counts[h * (widths.size() + 1) + w]; };
  for (const Place& one : places)
    count(first_beyond(heights, from_below ? n.rows - 1 - one.row : one.row),
          first_beyond(widths, from_right ? n.columns - 1 - one.column : one.column)) += 1;
  for (std::size_t h = 0; h < heights.size(); ++h)
    for (std::size_t w = 0; w < widths.size(); ++w) {  // an element of a small corner is of the larger ones
      if (h > 0) count(h, w) += count(h - 1, w);
      if (w > 0) count(h, w) += count(h, w - 1);
      if (h > 0 && w > 0) count(h, w) -= count(h - 1, w - 1);
      const std::int64_t row = from_below ? n.rows - heights[h] : 0, column = from_right ? n.columns - widths[w] : 0;
      best.try_class(count(h, w), static_cast<double>(n.batches * heights[h] * widths[w]), [&] {
        return Pattern{.kind = PatternKind::corner,
                       .period = heights[h],
                       .phase = row,
                       .k0 = column,
                       .k1 = column + widths[w],
                       .text = fmt::format("the corner of {} and {}", span_text("row", row, row + heights[h]),
                                           span_text("column", column, column + widths[w]))};
      });
    }
}

/// How many of an axis are in blocks of an even number.
double in_even_blocks(std::int64_t extent, std::int64_t edge) {
  const std::int64_t whole = extent / (2 * edge) * edge;
  return static_cast<double>(whole + std::min(edge, extent % (2 * edge)));
}

/// Each tile of a grid.
void try_grid(std::span<const Place> places, const Extents& n, std::int64_t height, std::int64_t width,
              BestClass& best) {
  const std::int64_t down = (n.rows + height - 1) / height, across = (n.columns + width - 1) / width;
  std::vector<double> counts(static_cast<std::size_t>(down * across));
  for (const Place& one : places) counts[static_cast<std::size_t>(one.row / height * across + one.column / width)] += 1;
  for (std::int64_t tile = 0; tile < down * across; ++tile) {
    const double hits = counts[static_cast<std::size_t>(tile)];
    const std::int64_t row = tile / across * height, row_end = std::min(row + height, n.rows),
                       column = tile % across * width, column_end = std::min(column + width, n.columns);
    best.try_class(hits, static_cast<double>(n.batches * (row_end - row) * (column_end - column)), [&] {
      const std::string rows = span_text("row", row, row_end), columns = span_text("column", column, column_end);
      return Pattern{.kind = PatternKind::tile,
                     .period = row_end - row,
                     .phase = row,
                     .k0 = column,
                     .k1 = column_end,
                     .text = height == n.rows     ? columns
                             : width == n.columns ? rows
                                                  : fmt::format("the tile of {} and {}", rows, columns)};
    });
  }
}

}  // namespace

void try_corners(std::span<const Place> places, const Extents& extents, BestClass& best) {
  if (extents.rows < 2 || extents.columns < 2) return;
  for (const bool from_below : {true, false})
    for (const bool from_right : {true, false}) try_corner(places, extents, from_below, from_right, best);
}

void try_tiles(std::span<const Place> places, const Extents& n, BestClass& best) {
  for (const std::int64_t height : tile_edges(n.rows))
    for (const std::int64_t width : tile_edges(n.columns))
      if (height < n.rows || width < n.columns) try_grid(places, n, height, width, best);
}

void try_checkerboards(std::span<const Place> places, const Extents& n, BestClass& best) {
  for (std::int64_t height = 1; height <= largest_tile && 2 * height <= n.rows; height *= 2)
    for (std::int64_t width = 1; width <= largest_tile && 2 * width <= n.columns; width *= 2) {
      double odd = 0;
      for (const Place& one : places) odd += static_cast<double>((one.row / height + one.column / width) % 2);
      const double rows = in_even_blocks(n.rows, height), columns = in_even_blocks(n.columns, width),
                   other_rows = static_cast<double>(n.rows) - rows,
                   other_columns = static_cast<double>(n.columns) - columns,
                   even = static_cast<double>(n.batches) * (rows * columns + other_rows * other_columns);
      for (const std::int64_t phase : {0, 1}) {
        const double hits = phase == 0 ? static_cast<double>(places.size()) - odd : odd;
        best.try_class(hits, phase == 0 ? even : n.elements() - even, [&] {
          const char* const from = phase == 0 ? "the first" : "the second";
          const std::string tile = height * width == 1 ? "element" : fmt::format("tile of {}x{}", height, width);
          return Pattern{.kind = PatternKind::checkerboard,
                         .period = height,
                         .phase = phase,
                         .k1 = width,
                         .text = fmt::format("every other {} of a checkerboard, from {} on", tile, from)};
        });
      }
    }
}

void try_strides(std::span<const Place> places, const Extents& n, BestClass& best) {
  const auto elements = static_cast<std::int64_t>(n.elements());
  for (std::int64_t stride = 2; stride <= longest_stride && 2 * stride <= elements; ++stride) {
    if (n.columns % stride == 0 || n.columns == elements) continue;  // these are columns
    std::vector<double> counts(static_cast<std::size_t>(stride));
    for (const Place& one : places) counts[one.element % static_cast<std::size_t>(stride)] += 1;
    for (std::int64_t phase = 0; phase < stride; ++phase)
      best.try_class(
          counts[static_cast<std::size_t>(phase)], static_cast<double>((elements - phase + stride - 1) / stride), [&] {
            return Pattern{.kind = PatternKind::stride,
                           .period = stride,
                           .phase = phase,
                           .text = fmt::format("one element in {} from {} on, whatever its row", stride, phase)};
          });
  }
}

}  // namespace plumb::parity::checks::patterns
