// Declares the product of rows and matrices of a bank, of which each row takes the one that its index says.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Rows of x, each times the matrix of its own expert (ops.md 6), as layers of a mixture of experts have it. The row of
/// expert −1 is 0, without a bias; another index outside [0, E) is a fault. A matrix that no row uses is not looked at.
struct GroupedMatmul {
  bool transpose_w = false;
  bool has_bias = false;

  static constexpr auto name = "grouped_matmul";
  static constexpr auto summary = "matrix product, each row with the weights of its own expert";
  static constexpr auto formula =
      "y[i, n] = Σ_k x[i, k]·w[expert[i], k, n] + bias[expert[i], n]; 0 where expert[i] is −1; K = 0 leaves the bias";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[M, K]"}, Input{"w", dtypes::R, "[E, K, N]", "x"},
                                        Input{"expert", dtypes::X, "[M]"},
                                        Input{"bias", dtypes::R, "[E, N]", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x [M, N]"}};
  static constexpr std::array<std::string_view, 3> checks = {"x must have rank 2, w rank 3, and both one K",
                                                             "expert must have an entry for each row of x",
                                                             "bias must have N elements for each matrix of w"};
  static constexpr auto fields = std::tuple{
      Field{"transpose_w", &GroupedMatmul::transpose_w, "w is [E, N, K]"},
      Field{"has_bias", &GroupedMatmul::has_bias, "whether there is a bias"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &w = in[1].shape;
    check(*this, 1, x.rank() == 2 && w.rank() == 3 && x[1] == w[transpose_w ? 2 : 1], "x is ", in[0], ", w is ", in[1],
          transpose_w ? " transposed" : "");
    check(*this, 2, in[2].shape == Shape{x[0]}, "x is ", in[0], ", expert is ", in[2]);
    const std::int64_t n = w[transpose_w ? 1 : 2];
    if (has_bias) check(*this, 3, in[3].shape == Shape{w[0], n}, "w is ", in[1], ", bias is ", in[3]);
    return {{in[0].dtype, {x[0], n}}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const std::int64_t k = in[0].shape[1];
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types) const {
    const std::size_t terms = transpose_w ? 2 : 1, columns = transpose_w ? 1 : 2;
    Loops made{.operands = {kernels::linear_data,
                            kernels::linear_factor,
                            {.role = Role::index, .low = -1, .high = in[1].shape[0]}}};
    made.loops = {{.out = 0, .in = {0, Axis(), 0}},
                  {.out = 1, .in = {Axis(), columns, Axis()}},
                  kernels::summed({1, terms, Axis()})};
    if (!has_bias) return made;
    made.operands.push_back({.role = Role::addend});
    for (Loop& loop : made.loops) loop.in.push_back(loop.out == Axis(1) ? Axis(1) : Axis());
    return made;
  }
  bool operator==(const GroupedMatmul&) const = default;
};

}  // namespace plumb::ir::ops
