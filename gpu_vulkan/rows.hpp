#pragma once

#include <algorithm>
#include <bit>

#include "gpu_vulkan/lines.hpp"

namespace plumb::gpu_vulkan {

/// How invocations hold rows in registers (glsl/rows.glsl).
struct HeldRows {
  std::uint32_t threads = 256, lanes = 1, units = 1;
  bool is_packed = false, is_full = false;
  std::uint32_t row_units = 1, subgroup_size = 1;
  Groups groups(std::int64_t rows) const { return groups_for(rows, threads / lanes); }
  /// The constants that rows.glsl declares, and those of the shader itself.
  Shader shader(std::string name, std::initializer_list<std::uint32_t> more = {}) const {
    Shader shader{std::move(name), {threads, lanes, units, is_packed, is_full, subgroup_size}, subgroup_size};
    shader.constants.insert(shader.constants.end(), more);
    return shader;
  }
};

/// A refusal says why rows cannot be held.
struct RowsChoice {
  HeldRows held;
  std::optional<std::string> refusal;
};

/// For lines of which `pack` neighbouring elements are read at once; `share` is how they would be worked on otherwise.
inline RowsChoice hold_rows(const DeviceFacts& facts, const LineShare& share, const ir::Lines& lines,
                            std::int64_t pack) {
  // Per lane 16 elements are enough to wait for memory together, and 32 still leave a multiprocessor two groups.
  constexpr std::int64_t enough_packs = 4, most_packs = 8, enough_lanes = 512;
  const std::int64_t length = lines.length;
  if (lines.inner > 1) return {{}, "neighbours are of different lines"};
  if (length == 0) return {{}, "lines are empty"};
  if (share.slices > 1) return {{}, ir::cat(lines.count(), " lines are too few not to be cut")};
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control)
    return {{}, ir::cat(facts.name, " has no shuffles in subgroups of a known size")};
  const auto power = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  };
  const std::uint32_t most_threads = std::bit_floor(
      std::min({1024u, facts.max_invocations, facts.max_group_subgroups * facts.subgroup_size}));
  const std::int64_t most_lanes = most_threads;
  const bool is_packed = length % pack == 0;
  const std::int64_t row_units = is_packed ? length / pack : length;
  const std::int64_t most_units = is_packed ? most_packs : most_packs * pack;
  std::int64_t lanes = power((row_units + enough_packs - 1) / enough_packs);
  lanes = std::min({lanes, enough_lanes, most_lanes});
  while (lanes < most_lanes && lanes * most_units < row_units) lanes *= 2;
  if (lanes * most_units < row_units)
    return {{}, ir::cat("rows of ", length, " elements do not fit into ", lanes, " invocations")};
  HeldRows held;
  held.subgroup_size = facts.subgroup_size;
  held.lanes = static_cast<std::uint32_t>(lanes);
  held.threads = std::max({held.lanes, std::min(256u, most_threads), facts.subgroup_size});
  held.units = static_cast<std::uint32_t>((row_units + lanes - 1) / lanes);
  held.is_packed = is_packed;
  held.is_full = held.units * lanes == row_units;
  held.row_units = static_cast<std::uint32_t>(row_units);
  return {held, std::nullopt};
}

}  // namespace plumb::gpu_vulkan
