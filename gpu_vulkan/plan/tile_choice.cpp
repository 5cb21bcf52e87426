// Chooses a kernel's tile: the one asked for, the fastest by measurement, or one that fills the device.
#include "gpu_vulkan/plan/tile_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/error.hpp"

namespace plumb::gpu_vulkan::plan {
namespace {

std::optional<std::size_t> named(std::span<const TileOption> tiles, std::string_view name) {
  const auto found = std::ranges::find_if(tiles, [&](const TileOption& t) { return t.fits && t.name == name; });
  if (found == tiles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tiles.begin());
}

std::string text_of(const device::ProductSize& size) {
  const std::string one = ir::cat(size.m, 'x', size.k, 'x', size.n);
  return size.batches == 1 ? one : ir::cat(size.batches, " of ", one);
}

std::string tenths(double microseconds) {
  const auto tenth = std::llround(microseconds * 10);
  return ir::cat(tenth / 10, '.', tenth % 10, " us");
}

std::optional<TileChoice> by_measurement(const PlanOptions& options, std::string_view kernel,
                                         const device::ProductSize& size, std::span<const TileOption> tiles) {
  const device::TileTimes* measured = options.calibration.nearest(kernel, size);
  if (measured == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < measured->times.size(); ++i) {
    const device::TileTime& time = measured->times[i];
    const auto index = named(tiles, time.tile);
    if (!index) continue;
    std::string why = ir::cat(time.tile, ": measured for ", text_of(measured->size), ' ', tenths(time.microseconds));
    if (i + 1 < measured->times.size()) {
      const device::TileTime& next = measured->times[i + 1];
      why += ir::cat(", ", next.tile, ' ', tenths(next.microseconds));
    }
    return TileChoice{*index, std::move(why)};
  }
  return std::nullopt;
}

TileChoice by_model(std::span<const TileOption> tiles) {
  const auto fills_wave = [](const TileOption& t) { return t.groups * 10 >= t.wave * 7 && t.groups <= t.wave; };
  const auto good = [&](const TileOption& t) { return t.fits && (t.groups >= t.min_workgroups || fills_wave(t)); };
  const auto found = std::ranges::find_if(tiles, good);
  const auto groups = [](const TileOption& t) {
    return ir::cat(t.groups, t.groups == 1 ? " workgroup" : " workgroups");
  };
  if (found != tiles.end())
    return {
        static_cast<std::size_t>(found - tiles.begin()),
        found->groups >= found->min_workgroups
            ? ir::cat(found->name, ": the first of at least ", found->min_workgroups, " workgroups, ", groups(*found))
            : ir::cat(found->name, ": ", groups(*found), " of ", found->wave, " that run at one time")};
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  const auto size = [](const TileOption& t) { return t.fits ? t.elements : never; };
  const auto smallest = std::ranges::min_element(tiles, {}, size);  // the first of several
  return {static_cast<std::size_t>(smallest - tiles.begin()),
          ir::cat(smallest->name, ": the smallest, ", groups(*smallest))};
}

}  // namespace

TileChoice choose_tile(const PlanOptions& options, std::string_view kernel, const device::ProductSize& size,
                       std::span<const TileOption> tiles) {
  if (!options.tile.empty()) {
    if (const auto index = named(tiles, options.tile)) return {*index, ir::cat(options.tile, ": asked for")};
  } else if (auto measured = by_measurement(options, kernel, size, tiles)) {
    return *measured;
  }
  return by_model(tiles);
}

TileChoice other_tile(std::span<const TileOption> tiles, std::size_t best, std::size_t rank) {
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (i != best && tiles[i].fits && --rank == 0) return {i, ir::cat(tiles[i].name, ": asked for as an alternative")};
  ir::fail("there are not so many tiles that fit");
}

}  // namespace plumb::gpu_vulkan::plan
