// Tiles of products and convolutions of codes (code_tiles.glsl), and how a kernel of these is asked for.
#pragma once

#include "gpu_vulkan/kernels/common/tiles.hpp"

namespace plumb::gpu_vulkan::kernels::common {

/// Bits of the pushed flags.
enum CodeFlag : std::uint32_t {
  left_signed = 1,
  right_signed = 2,
  y_signed = 4,
  has_left_zero = 8,
  has_right_zero = 16,
  has_bias = 32,
  scales_f16 = 64,
  scales_bf16 = 128
};

/// Which operands of a node are codes, and their zero points.
struct CodeOperands {
  std::size_t left = 0, right = 1;
  std::optional<std::size_t> left_zero = {}, right_zero = {};

  std::uint32_t flags(const plan::Lowering& node) const {
    return (node.in_type(left).dtype == ir::DType::i8 ? left_signed : 0u) |
           (node.in_type(right).dtype == ir::DType::i8 ? right_signed : 0u) | (left_zero ? has_left_zero : 0u) |
           (right_zero ? has_right_zero : 0u);
  }
};

/// An epilogue of sums: the module that has it, the operands that it reads besides, and its flags.
struct CodeEpilogue {
  std::string module;
  std::vector<plan::Slot> reads = {};
  std::uint32_t flags = 0;
};

/// Which operands of a node make codes of sums.
struct RequantizedOperands {
  std::size_t left_scale, right_scale, y_scale, y_zero;
  std::optional<std::size_t> bias;
};

/// Requantisation by the variants of a module over requantize.glsl.
inline CodeEpilogue requantize(std::string_view module, const RequantizedOperands& of, const plan::Lowering& node) {
  constexpr std::uint32_t bindings = 11;  // a product has so many, a convolution one less
  node.needs(node.facts().max_storage_buffers >= bindings, node.facts().name, " has fewer than ", bindings,
             " buffers for a shader");
  const ir::DType scales = node.in_type(of.y_scale).dtype, codes = node.out_type(0).dtype;
  CodeEpilogue made{.module = ir::cat(module, '.', scales == ir::DType::f64 ? scales : ir::DType::f32)};
  made.flags = (codes == ir::DType::i8 ? y_signed : 0u) | (of.bias ? has_bias : 0u) |
               (scales == ir::DType::f16 ? scales_f16 : 0u) | (scales == ir::DType::bf16 ? scales_bf16 : 0u);
  for (const std::size_t operand : {of.left_scale, of.right_scale, of.y_scale, of.y_zero, of.bias.value_or(of.y_zero)})
    made.reads.push_back(node.in(operand));
  return made;
}

/// The tile for products of this size: a flat one for a few rows, large ones where they keep a device busy.
inline const ElementTile& tile_of_codes(std::int64_t batches, std::int64_t m, std::int64_t n) {
  static constexpr ElementTile large{.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
      small{.rows = 16, .columns = 16, .depth = 16, .elements = {1, 1}},
      flat{.rows = 4, .columns = 64, .depth = 16, .elements = {1, 1}};
  constexpr std::int64_t enough = 64;
  if (m <= flat.rows) return flat;
  const bool is_busy = batches * pieces(m, large.rows) * pieces(n, large.columns) >= enough;
  return is_busy && m > small.rows && n > small.columns ? large : small;
}

}  // namespace plumb::gpu_vulkan::kernels::common
