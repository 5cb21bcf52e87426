// Declares rotary embeddings of the cells of a grid.
#pragma once

#include <cmath>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Rotary position embedding of a 2-D grid (ops.md 8): the first half of each head turns with the column of its token,
/// the second with the row. Pairs are neighbours, and C is as many heads as there are.
///
///   f_i = theta^(-4i/D), i < D/4
///   g = floor(t / repeat), px = g mod width, py = floor(g / width)
///   first'  = first·cos(p·f_i) - second·sin(p·f_i)
///   second' = first·sin(p·f_i) + second·cos(p·f_i)
struct AxialRope2d {
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t head_dim = 4;
  double theta = 10000;
  std::int64_t repeat = 1;

  static constexpr auto name = "axial_rope_2d";
  static constexpr auto summary = "rotary position embedding of a 2-D grid";
  static constexpr auto formula =
      "pair i of a half of a head turns by p·theta^(-4i/D): p is the column floor(t/repeat) mod width in the first "
      "half, the row floor(t/(repeat·width)) in the second";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[B, S, C]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "head_dim must be a positive multiple of 4 and divide the last extent of x",
      "width, height and repeat must be at least 1, and S at most their product",
      "theta must be positive and finite, also as f32", "x must have rank 3"};
  static constexpr auto fields = std::tuple{
      Field{"width", &AxialRope2d::width, "columns of the grid", Presence::required},
      Field{"height", &AxialRope2d::height, "rows of the grid", Presence::required},
      Field{"head_dim", &AxialRope2d::head_dim, "D, the coordinates of a head", Presence::required},
      Field{"theta", &AxialRope2d::theta, "base of the frequencies"},
      Field{"repeat", &AxialRope2d::repeat, "tokens of a cell, one after the other"},
  };

  /// The cells that tokens of x are in, counted row by row; the columns and the rows of these.
  std::int64_t cells(const Shape& x) const { return x[1] / repeat + (x[1] % repeat != 0 ? 1 : 0); }
  std::int64_t columns(const Shape& x) const { return std::min(width, cells(x)); }
  std::int64_t rows(const Shape& x) const { return cells(x) / width + (cells(x) % width != 0 ? 1 : 0); }

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 4, x.rank() == 3, "x is ", in[0]);
    check(*this, 1, head_dim >= 4 && head_dim % 4 == 0 && x[2] % head_dim == 0, "head_dim is ", head_dim, ", x is ",
          in[0]);
    check(*this, 2, width >= 1 && height >= 1 && repeat >= 1 && rows(x) <= height, "width is ", width, ", height is ",
          height, ", repeat is ", repeat, ", x is ", in[0]);
    const auto narrow = static_cast<float>(theta);
    check(*this, 3, narrow > 0 && std::isfinite(narrow), "got ", theta);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const { return {3.0 * static_cast<double>(in[0].shape.elements()), 2}; }
  Loops loops(Types in, Types) const {
    return {.loops = {kernels::along(in, 0)},
            .operands = {kernels::linear_data},
            .rounds = "cosines and sines are rounded"};
  }
  bool operator==(const AxialRope2d&) const = default;
};

}  // namespace plumb::ir::ops
