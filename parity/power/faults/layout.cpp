// Right numbers in wrong places: lanes, tiles, strides.

#include <algorithm>

#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/tile.hpp"

namespace plumb::parity::power::faults {
namespace {

/// Two lanes of every 32 change places.
std::optional<Numbers> swapped_lanes(const Site& site) {
  constexpr std::size_t subgroup = 32, lane = 13;
  Numbers faulty = site.got;
  for (std::size_t first = 0; first + lane + 1 < faulty.size(); first += subgroup)
    std::swap(faulty[first + lane], faulty[first + lane + 1]);
  return faulty;
}

std::optional<Numbers> tile_elsewhere(const Site& site) {
  const Tile tile = middle_tile(site);
  return with_tile(site, tile, [&](std::size_t r, std::size_t c) {
    return site.got[(r + tile_extent) % site.rows() * site.columns() + (c + tile_extent) % site.columns()];
  });
}

std::optional<Numbers> tile_transposed(const Site& site) {
  const Tile tile = middle_tile(site);
  const std::size_t side = std::min(tile.rows, tile.columns);
  if (side < 2) return {};
  return with_tile(site, {tile.row, tile.column, side, side}, [&](std::size_t r, std::size_t c) {
    return site.got[(tile.row + c - tile.column) * site.columns() + tile.column + r - tile.row];
  });
}

/// Rows lie one element further apart than the reader thinks.
std::optional<Numbers> stride_off_by_one(const Site& site) {
  if (site.rows() < 2) return {};
  Numbers faulty = site.got;
  for (std::size_t i = 0; i < faulty.size(); ++i) faulty[i] = site.got[(i + i / site.columns()) % faulty.size()];
  return faulty;
}

std::optional<Numbers> rows_swapped(const Site& site) {
  if (site.rows() < 2) return {};
  Numbers faulty = site.got;
  const auto middle = faulty.begin() + static_cast<std::ptrdiff_t>(site.rows() / 2 * site.columns());
  const auto width = static_cast<std::ptrdiff_t>(site.columns());
  std::swap_ranges(middle - width, middle, middle);
  return faulty;
}

/// The last columns % 4 elements of a row repeat the ones before them, as vec4 accesses do at a ragged end.
std::optional<Numbers> ragged_end(const Site& site) {
  const std::size_t rest = site.columns() % 4;
  if (rest == 0 || site.columns() < 4) return {};
  Numbers faulty = site.got;
  for (std::size_t row = 0; row < site.rows(); ++row)
    for (std::size_t c = site.columns() - rest; c < site.columns(); ++c)
      faulty[row * site.columns() + c] = site.got[row * site.columns() + c - rest];
  return faulty;
}

/// Offsets in bytes that were computed in too few bits.
template <int bits>
std::optional<Numbers> wrapped_offsets(const Site& site) {
  const std::size_t all = (std::size_t{1} << bits) / ir::info(site.type.dtype).bytes;
  if (site.elements() <= all) return {};
  Numbers faulty = site.got;
  for (std::size_t i = all; i < faulty.size(); ++i) faulty[i] = site.got[i % all];
  return faulty;
}

constexpr Fault of_layout[] = {
    {"swapped_lanes", "lanes 13 and 14 of every 32 change places", "any", true, swapped_lanes},
    {"tile_elsewhere", "a 16x16 tile holds the values of the next one", "any", true, tile_elsewhere},
    {"tile_transposed", "a 16x16 tile is transposed", "any", true, tile_transposed},
    {"stride_off_by_one", "each row starts one element late", "any", true, stride_off_by_one},
    {"rows_swapped", "two neighbouring rows change places", "any", true, rows_swapped},
    {"ragged_end", "the end of each row, beyond a multiple of 4, is read too early", "rows of 4n + 1 to 3", true,
     ragged_end},
    {"offset_modulo_2_31", "offsets in bytes are modulo 2^31", "outputs beyond 2 GiB", true, wrapped_offsets<31>},
    {"offset_modulo_2_32", "offsets in bytes are modulo 2^32", "outputs beyond 4 GiB", true, wrapped_offsets<32>},
};

}  // namespace

std::span<const Fault> faults_of_layout() { return of_layout; }

}  // namespace plumb::parity::power::faults
