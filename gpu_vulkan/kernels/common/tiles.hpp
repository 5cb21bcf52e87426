#pragma once

#include <span>

#include "gpu_vulkan/plan/lower.hpp"

// Code common to the kernels that compute y tile by tile. Their tables of tiles were measured on an NVIDIA H200
// (docs/performance.md), in order of preference; the counts of workgroups in them keep that device busy.
namespace plumb::gpu_vulkan::kernels::common {

/// Multiprocessors of the device on which the tiles were measured.
inline constexpr std::int64_t measured_multiprocessors = 132;

/// Pieces of `each` that cover an extent.
constexpr std::int64_t pieces(std::int64_t extent, std::int64_t each) { return (extent + each - 1) / each; }

/// "128x64x32", as tiles are called.
inline std::string tile_name(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth) {
  return ir::cat(rows, 'x', columns, 'x', depth);
}

/// Whether a node of so many multiplications is worth a pipeline of its own, in which all that it can be is constant.
/// Small nodes share theirs.
constexpr bool is_worth_a_pipeline(double multiplications) { return multiplications >= double{1 << 24}; }

/// How many there are by rows and by columns of y.
struct Grid {
  std::uint32_t m = 1, n = 1;
  constexpr std::uint32_t count() const { return m * n; }
};

/// A workgroup's tile of y by cooperative matrices: its subgroups, and the matrices that each of them computes.
struct CooperativeTile {
  Grid subgroups, matrices;

  std::uint32_t rows(const device::CooperativeShape& s) const { return subgroups.m * matrices.m * s.m; }
  std::uint32_t columns(const device::CooperativeShape& s) const { return subgroups.n * matrices.n * s.n; }
  std::uint32_t invocations(const device::DeviceFacts& facts) const { return subgroups.count() * facts.subgroup_size; }
  /// The constants that the shaders of such tiles begin with.
  plan::Constants constants(const device::CooperativeShape& s, const device::DeviceFacts& facts) const {
    return {{"invocations", invocations(facts)},
            {"M", s.m},
            {"N", s.n},
            {"K", s.k},
            {"subgroups_m", subgroups.m},
            {"subgroups_n", subgroups.n},
            {"fragments_m", matrices.m},
            {"fragments_n", matrices.n}};
  }
};

/// A workgroup's tile of y by registers: blocks of 4 x 4 elements, of which each invocation computes a few.
struct BlockTile {
  std::uint32_t rows, columns;
  std::uint32_t depth;  ///< terms that are staged at a time
  Grid blocks;          ///< per invocation

  std::uint32_t invocations() const { return rows / (4 * blocks.m) * (columns / (4 * blocks.n)); }
  /// The constants that the shaders of such tiles begin with.
  plan::Constants constants() const {
    return {{"invocations", invocations()}, {"rows", rows},        {"columns", columns}, {"depth", depth},
            {"groups_m", blocks.m},         {"groups_n", blocks.n}};
  }
  std::size_t shared_bytes() const { return std::size_t{4} * depth * (rows + columns + 8); }
};

/// A workgroup's tile of y element by element, of which each invocation computes a few.
struct ElementTile {
  std::uint32_t rows, columns;
  std::uint32_t depth;  ///< terms that are staged at a time
  Grid elements;        ///< per invocation

  std::uint32_t invocations() const { return rows / elements.m * (columns / elements.n); }
  /// The constants that the shaders of such tiles begin with.
  plan::Constants constants() const {
    return {{"invocations", invocations()}, {"rows", rows},
            {"columns", columns},           {"depth", depth},
            {"rows_each", elements.m},      {"columns_each", elements.n}};
  }
  std::size_t shared_bytes(std::size_t element) const { return (rows + columns + 2) * depth * element; }
};

/// Takes one of a kernel's tiles for products of this size (plan::choose_tile); `option_of` makes a TileOption of a
/// tile.
template <class Tiles, class OptionOf>
const auto& take_tile(plan::Lowering& node, std::string_view kernel, const device::ProductSize& size,
                      const Tiles& tiles, OptionOf option_of) {
  std::vector<plan::TileOption> options;
  for (const auto& tile : tiles) options.push_back(option_of(tile));
  return tiles[node.take_tile(kernel, size, options)];
}

}  // namespace plumb::gpu_vulkan::kernels::common
