#pragma once

#include <span>

#include "gpu_vulkan/plan/plan_options.hpp"

namespace plumb::gpu_vulkan::plan {

/// Smaller tiles keep a device busier until there are so many workgroups.
inline constexpr std::int64_t enough_tiles = 128;

/// One size of workgroup that a kernel can be dispatched with.
struct TileOption {
  std::string name;                   ///< "128x128x32": of y, and of the terms that are staged at a time
  std::int64_t elements = 0;          ///< of y, in a workgroup
  std::int64_t groups = 0;            ///< workgroups of the whole product
  std::int64_t least = enough_tiles;  ///< of those, with which it keeps a device busier than smaller ones
  std::int64_t wave = 0;              ///< as many as run at one time, where that is known: nearly so many will do, too
  bool fits = true;                   ///< the device can run it
};

struct TileChoice {
  std::size_t index = 0;
  std::string why;  ///< "128x128x32: 24 workgroups, ..."
};

/// Takes the tile that was asked for (PlanOptions::tile), else the fastest that was measured for products of about this
/// size, else the first, as tables begin with the largest, that leaves enough workgroups (TileOption::least, or seven
/// tenths of a wave and no second one), else the smallest. What does
/// not fit is passed over; one that does not fit comes back only where none does. `tiles` is not empty.
TileChoice choose_tile(const PlanOptions& options, std::string_view kernel, const device::ProductSize& size,
                       std::span<const TileOption> tiles);

}  // namespace plumb::gpu_vulkan::plan
