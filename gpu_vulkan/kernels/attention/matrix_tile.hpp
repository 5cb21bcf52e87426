#pragma once

#include <span>

#include "gpu_vulkan/kernels/attention/attention_kernels.hpp"
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"

// Tiles, sums and dispatch of the two attention kernels by cooperative matrices.
namespace plumb::gpu_vulkan::kernels::attention {

/// A workgroup's tile of scores by matrices of M x N: each subgroup has one matrix of M queries, and all subgroups
/// share a block of keys in shared memory.
struct MatrixTile {
  std::uint32_t subgroups;
  std::uint32_t n_tiles;        ///< matrices along the keys of a block
  std::int64_t max_head_tiles;  ///< matrices along the widest head that it serves
  std::uint32_t buffers = 1;    ///< blocks of keys that are staged at a time

  std::uint32_t rows(const device::CooperativeShape& s) const { return subgroups * s.m; }
  std::uint32_t keys(const device::CooperativeShape& s) const { return n_tiles * s.n; }
};

/// Matrices of a query and of a result that registers hold at most, along a head.
inline constexpr std::int64_t widest_head_tiles = 16;

/// Pieces of 16 bytes of a staged line of whole matrices, and one that moves the next line to other banks.
std::size_t staged_pitch(std::int64_t width, const device::CooperativeShape& s);

/// A workgroup's bytes of shared memory, as a shader declares it.
using SharedBytes = std::size_t (*)(const MatrixTile&, const device::CooperativeShape&, const Extents&);

/// The first tile that fits the device and these extents; null when there is none.
const MatrixTile* find_matrix_tile(std::span<const MatrixTile> tiles, SharedBytes shared_bytes,
                                   const device::DeviceFacts& facts, const device::CooperativeShape& s,
                                   const Extents& n);

plan::Refusal no_matrix_tile_fits(const device::DeviceFacts& facts);

/// The shape by which f16 or bf16 heads are multiplied, or why they are not, whichever of the kernels does it.
plan::Or<device::CooperativeShape> usable_head_shape(const AttentionProblem& problem, const plan::Lowering& node);

/// Each column of the matrices of weights has a sum of its own up to the end, where those of a row are joined as
/// `columns` says. Values are multiplied by the parts of the weights in turn.
AttentionSums matrix_sums(std::uint32_t keys, const device::CooperativeShape& s, std::vector<ir::SumLevel> columns);

/// A kernel by cooperative matrices, ready to be dispatched.
struct MatrixKernel {
  plan::CooperativeKernel::Kind kind;
  std::string shader;
  device::CooperativeShape shape;
  MatrixTile tile;
  plan::Constant own;  ///< constant 5, which each of the shaders has for itself
};

void emit_matrix_kernel(const AttentionProblem& problem, const MatrixKernel& kernel, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::attention
