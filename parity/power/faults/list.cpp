// All faults in one list, and a fault planted in a part of an output or at a share of its size.
#include <fmt/format.h>

#include <cmath>

#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/tile.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The tile in the middle, as large as the kernel's.
Tile tile_of_kernel(const Site& site) {
  const std::size_t rows = std::max<std::size_t>(1, site.tile_rows),
                    columns = std::max<std::size_t>(1, site.tile_columns);
  Tile tile{site.rows() / 2 / rows * rows, site.columns() / 2 / columns * columns};
  tile.rows = std::min(rows, site.rows() - tile.row);
  tile.columns = std::min(columns, site.columns() - tile.column);
  return tile;
}

/// The first row from the middle on in which the fault changes anything.
std::optional<Tile> faulty_line(const Site& site, const Numbers& faulty) {
  const std::size_t rows = site.rows(), columns = site.columns();
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t row = (rows / 2 + k) % rows;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
      if (faulty[i] != site.got[i]) return Tile{row, 0, 1, columns};
  }
  return {};
}

}  // namespace

std::span<const Fault> all_faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> list;
    for (const auto family :
         {faults_of_values(), faults_of_layout(), faults_of_memory(), faults_of_caches(), faults_of_rounding(),
          faults_of_precision(), faults_of_sums(), faults_of_partial_sums(), faults_of_lines(), faults_of_operands(),
          faults_of_packed(), faults_of_attributes(), faults_of_attention(), faults_of_epilogues()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

std::span<const Fault> faults_of_results() {
  return all_faults().subspan(faults_of_values().size() + faults_of_layout().size() + faults_of_memory().size() +
                              faults_of_caches().size());
}

std::span<const Fault> faults_of_computation() { return faults_of_results().subspan(faults_of_rounding().size()); }

bool may_be_in_part(const Fault& fault) {
  for (const Fault& one : faults_of_results())
    if (one.name == fault.name) return true;
  return false;
}

std::optional<Numbers> placed(const Site& site, const Numbers& faulty, Place place) {
  if (place == Place::whole) return faulty;
  if (site.elements() == 0) return {};
  const std::optional<Tile> part = place == Place::tile ? tile_of_kernel(site) : faulty_line(site, faulty);
  if (!part || part->rows * part->columns == site.elements()) return {};
  Numbers numbers =
      with_tile(site, *part, [&](std::size_t r, std::size_t c) { return faulty[r * site.columns() + c]; });
  bool is_less = false, is_any = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    is_less = is_less || faulty[i] != numbers[i];
    is_any = is_any || numbers[i] != site.got[i];
  }
  if (!is_less || !is_any) return {};
  return numbers;
}

ir::Tensor planted(const Site& site, const Numbers& faulty, double share) {
  if (share == 1) return tensor_of(site.type, faulty);
  Numbers part = site.got;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (faulty[i] != part[i]) part[i] += share * (faulty[i] - part[i]);
  return tensor_of(site.type, part);
}

std::string fault_list() {
  std::string text;
  for (const Fault& fault : all_faults())
    text += fmt::format("{:<26} {}{} ({})\n", fault.name,
                        fault.forbidden ? "" : "allowed on some data: ", fault.summary, fault.where);
  return text;
}

}  // namespace plumb::parity::power::faults
