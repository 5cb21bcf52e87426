#pragma once

#include <algorithm>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/rows/lines.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

/// How invocations hold rows in registers (glsl/rows.glsl).
struct HeldRows {
  std::uint32_t threads = 256, lanes = 1, units = 1;
  bool is_packed = false, is_full = false;
  std::uint32_t row_units = 1, subgroup_size = 1;
  plan::Groups groups(std::int64_t rows) const { return plan::groups_for(rows, threads / lanes); }
  /// The constants that rows.glsl declares, and those of the shader itself.
  plan::Shader shader(std::string name, const plan::Constants& own = {}) const {
    const plan::Constants of_rows = {{"invocations", threads}, {"lanes", lanes},     {"units", units},
                                     {"is_packed", is_packed}, {"is_full", is_full}, {"subgroup_size", subgroup_size}};
    return {std::move(name), of_rows.then(own), subgroup_size};
  }
};

/// A refusal says why rows cannot be worked on so.
struct RowsChoice {
  HeldRows held;
  std::optional<std::string> refusal;
};

/// Why no shader over rows.glsl serves these lines; `share` is how they would be worked on otherwise.
inline std::optional<std::string> refuse_rows(const device::DeviceFacts& facts, const LineShare& share,
                                              const ir::Lines& lines) {
  if (lines.inner > 1) return "neighbours are of different lines";
  if (lines.length == 0) return "lines are empty";
  if (share.slices > 1) return ir::cat(lines.count(), " lines are too few not to be cut");
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control)
    return ir::cat(facts.name, " has no shuffles in subgroups of a known size");
  return std::nullopt;
}

/// Rows of `row_units` units of which each of `lanes` holds `units`.
inline HeldRows rows_of(const device::DeviceFacts& facts, std::int64_t row_units, std::int64_t lanes,
                        std::int64_t units) {
  HeldRows held;
  held.subgroup_size = facts.subgroup_size;
  held.lanes = static_cast<std::uint32_t>(lanes);
  held.threads = std::max({held.lanes, std::min(256u, common::most_invocations(facts)), facts.subgroup_size});
  held.units = static_cast<std::uint32_t>(units);
  held.is_full = row_units % (lanes * units) == 0;
  held.row_units = static_cast<std::uint32_t>(row_units);
  return held;
}

/// Rows that registers hold, of which `pack` neighbouring elements are read at once where rows consist of packs.
inline RowsChoice hold_rows(const device::DeviceFacts& facts, const LineShare& share, const ir::Lines& lines,
                            std::int64_t pack) {
  // Per lane 16 elements are enough to wait for memory together, and 32 still leave a multiprocessor two groups.
  constexpr std::int64_t enough_packs = 4, most_packs = 8, enough_lanes = 512;
  if (auto refusal = refuse_rows(facts, share, lines)) return {{}, std::move(refusal)};
  const bool is_packed = lines.length % pack == 0;
  const std::int64_t row_units = is_packed ? lines.length / pack : lines.length;
  const std::int64_t most_units = is_packed ? most_packs : most_packs * pack,
                     most_lanes = common::most_invocations(facts);
  std::int64_t lanes = std::min({power_above((row_units + enough_packs - 1) / enough_packs), enough_lanes, most_lanes});
  const std::int64_t together = facts.subgroup_size;  // lanes that agree without a barrier
  if (is_packed && lanes > together && together * most_units >= row_units) lanes = together;
  while (lanes < most_lanes && lanes * most_units < row_units) lanes *= 2;
  if (lanes * most_units < row_units)
    return {{}, ir::cat("rows of ", lines.length, " elements do not fit into ", lanes, " invocations")};
  HeldRows held = rows_of(facts, row_units, lanes, (row_units + lanes - 1) / lanes);
  held.is_packed = is_packed;
  return {held, std::nullopt};
}

/// Rows of whole packs, of any length, that shaders work on tile after tile of lanes·units packs.
inline RowsChoice stream_rows(const device::DeviceFacts& facts, const LineShare& share, const ir::Lines& lines,
                              std::int64_t pack) {
  constexpr std::int64_t most_units = 4, enough_lanes = 256;
  if (auto refusal = refuse_rows(facts, share, lines)) return {{}, std::move(refusal)};
  if (lines.length % pack != 0) return {{}, ir::cat("rows of ", lines.length, " do not consist of packs of ", pack)};
  const std::int64_t row_units = lines.length / pack, most_lanes = common::most_invocations(facts);
  const std::int64_t lanes =
      std::min({power_above((row_units + most_units - 1) / most_units), enough_lanes, most_lanes});
  HeldRows held = rows_of(facts, row_units, lanes, std::min(most_units, (row_units + lanes - 1) / lanes));
  held.is_packed = true;
  return {held, std::nullopt};
}

}  // namespace plumb::gpu_vulkan::kernels::rows
