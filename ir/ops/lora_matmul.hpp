// Declares the product of a matrix and a weight that has a correction of low rank.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A product with a weight w and its low-rank correction a·b (ops.md 6; Hu et al., "LoRA", 2021). Rank 0 leaves x·w.
struct LoraMatmul {
  double scale = 1;

  static constexpr auto name = "lora_matmul";
  static constexpr auto summary = "matrix product with a weight and its correction of low rank";
  static constexpr auto formula =
      "y[.., n] = Σ_k x[.., k]·w[k, n] + scale·Σ_j (Σ_k x[.., k]·a[k, j])·b[j, n], rounded once; where r = 0 the "
      "first sum alone";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., K]"}, Input{"w", dtypes::R, "[K, N]", "x"},
                                        Input{"a", dtypes::R, "[K, r]", "x"}, Input{"b", dtypes::R, "[r, N]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., N]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "x must have rank 1 at least, and w, a and b rank 2",
      "rows of x, w and a, rows of b and columns of a, and columns of w and b must agree"};
  static constexpr auto fields = std::tuple{
      Field{"scale", &LoraMatmul::scale, "factor of the correction"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &w = in[1].shape, &a = in[2].shape, &b = in[3].shape;
    check(*this, 1, x.rank() >= 1 && w.rank() == 2 && a.rank() == 2 && b.rank() == 2, "x is ", in[0], ", w is ", in[1],
          ", a is ", in[2], ", b is ", in[3]);
    check(*this, 2, x.back() == w[0] && w[0] == a[0] && a[1] == b[0] && b[1] == w[1], "x is ", in[0], ", w is ", in[1],
          ", a is ", in[2], ", b is ", in[3]);
    Shape y = x;
    y.back() = w[1];
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const std::int64_t k = in[1].shape[0], n = in[1].shape[1], r = in[2].shape[1];
    const double rows = n == 0 ? 0 : static_cast<double>(out[0].shape.elements() / n);
    return {2 * rows * static_cast<double>(k * n + k * r + r * n), k + r};
  }
  Loops loops(Types in, Types) const {
    const std::size_t last = in[0].shape.size() - 1;
    Loops made{.operands = {kernels::linear_data, {Role::factor}, {Role::factor}, {Role::factor}}};
    for (std::size_t axis = 0; axis < last; ++axis) made.loops.push_back(kernels::along(in, axis));
    made.loops.push_back(kernels::summed({last, 0, 0, Axis()}));
    made.loops.push_back(kernels::summed({Axis(), Axis(), 1, 0}));
    made.loops.push_back({.out = last, .in = {Axis(), 1, Axis(), 1}});
    return made;
  }
  bool operator==(const LoraMatmul&) const = default;
};

}  // namespace plumb::ir::ops
