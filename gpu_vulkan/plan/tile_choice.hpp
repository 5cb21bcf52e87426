#pragma once

#include <span>

#include "gpu_vulkan/plan/plan_options.hpp"

namespace plumb::gpu_vulkan::plan {

/// Workgroups of a tile that are enough to beat smaller ones, where nothing else was measured.
inline constexpr std::int64_t enough_tiles = 128;

/// One size of workgroup that a kernel can be dispatched with.
struct TileOption {
  std::string name;           ///< "128x128x32": rows and columns of y, and terms that are staged at a time
  std::int64_t elements = 0;  ///< elements of y that a workgroup computes
  std::int64_t groups = 0;    ///< workgroups that the whole product takes
  std::int64_t min_workgroups = enough_tiles;  ///< for this tile to beat a smaller one
  std::int64_t wave = 0;  ///< workgroups that the device runs at one time; 0 where that was not measured
  bool fits = true;       ///< the device can run it
};

struct TileChoice {
  std::size_t index = 0;
  std::string why;  ///< "128x128x32: 24 workgroups, ..."
};

/// Chooses one of `tiles`, which is not empty and lists the largest first:
///
///   1. the tile that was requested (PlanOptions::tile), if there is one of this name;
///   2. without a request, the fastest that was measured for products of about this size (PlanOptions::calibration);
///   3. the first that fills the device: of which there are min_workgroups, or from seven tenths of a wave to a whole;
///   4. the smallest.
///
/// A tile that does not fit is passed over; one comes back only where none fits.
TileChoice choose_tile(const PlanOptions& options, std::string_view kernel, const device::ProductSize& size,
                       std::span<const TileOption> tiles);

/// The tile of this rank, from 1 on, among those that fit but the one at `best`; throws where there are not so many.
TileChoice other_tile(std::span<const TileOption> tiles, std::size_t best, std::size_t rank);

}  // namespace plumb::gpu_vulkan::plan
