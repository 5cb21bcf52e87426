// Declares the packed formats of weights and the layout of each (ops.md A.0): what both executors know of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::ir::kernels::packed {

/// The formats of ops.md A.0. A new one comes last: shaders have these numbers.
enum class Format {
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  iq4_nl,
  mxfp4,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_xs,
  int8,
  uint8,
  int4,
  uint4,
  fp8_e4m3,
  fp8_e5m2,
  mxfp8_e4m3,
  mxfp8_e5m2,
  mxfp4_ocp
};

inline constexpr std::size_t format_count = 22;

constexpr auto enum_names(Format) {
  return std::array<std::string_view, format_count>{
      "q4_0",  "q4_1",     "q5_0",     "q5_1",       "q8_0",       "iq4_nl",   "mxfp4", "q2_k",
      "q3_k",  "q4_k",     "q5_k",     "q6_k",       "iq4_xs",     "int8",     "uint8", "int4",
      "uint4", "fp8_e4m3", "fp8_e5m2", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp4_ocp"};
}

/// Where a format has its scales, and what they are.
enum class Scales {
  in_block,   ///< in the block, beside the codes: value and order are those of the ggml library
  affine,     ///< real ones, with zero points where the node has such: (q − z)·s
  scaled,     ///< real ones: decode(q)·s
  exponents,  ///< E8M0 codes, one for 32 elements (OCP MX): decode(q)·2^(s − 127)
};

/// The floats to which the f32 value of a weight is rounded, once more, before it is a factor.
enum class WeightDtype { f32, f16, bf16 };

constexpr auto enum_names(WeightDtype) { return std::array<std::string_view, 3>{"f32", "f16", "bf16"}; }

/// A block of codes: the least that a row consists of.
struct Layout {
  std::int64_t elements, bytes;
  Scales scales = Scales::in_block;
  std::array<std::int64_t, 2> halves = {-1, -1};  ///< where f16 factors begin; -1: there is none
};

constexpr Layout layout(Format format) {
  using enum Scales;
  constexpr std::array<Layout, format_count> table = {{{32, 18, in_block, {0, -1}},
                                                       {32, 20, in_block, {0, 2}},
                                                       {32, 22, in_block, {0, -1}},
                                                       {32, 24, in_block, {0, 2}},
                                                       {32, 34, in_block, {0, -1}},
                                                       {32, 18, in_block, {0, -1}},
                                                       {32, 17},
                                                       {256, 84, in_block, {80, 82}},
                                                       {256, 110, in_block, {108, -1}},
                                                       {256, 144, in_block, {0, 2}},
                                                       {256, 176, in_block, {0, 2}},
                                                       {256, 210, in_block, {208, -1}},
                                                       {256, 136, in_block, {0, -1}},
                                                       {1, 1, affine},
                                                       {1, 1, affine},
                                                       {2, 1, affine},
                                                       {2, 1, affine},
                                                       {1, 1, scaled},
                                                       {1, 1, scaled},
                                                       {32, 32, exponents},
                                                       {32, 32, exponents},
                                                       {32, 16, exponents}}};
  return table[static_cast<std::size_t>(format)];
}

/// Whether scales are real numbers, which a product with them rounds; all other formats have values of f32 (ops.md
/// A.1).
constexpr bool has_real_scales(Format format) {
  return layout(format).scales == Scales::affine || layout(format).scales == Scales::scaled;
}

/// The elements that share a scale, of a format with scales of its own: block_size, or the whole row where that is 0 or
/// longer than it.
constexpr std::int64_t scale_block(Format format, std::int64_t block_size, std::int64_t row_elements) {
  if (layout(format).scales == Scales::exponents) return 32;
  return block_size > 0 && block_size < row_elements ? block_size : row_elements;
}

/// The scales of a row; none of a row without elements.
constexpr std::int64_t scales_of_row(Format format, std::int64_t block_size, std::int64_t row_elements) {
  if (row_elements == 0) return 0;
  const std::int64_t block = scale_block(format, block_size, row_elements);
  return (row_elements + block - 1) / block;
}

}  // namespace plumb::ir::kernels::packed
