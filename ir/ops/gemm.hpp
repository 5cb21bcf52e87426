#pragma once

#include "ir/kernels/accumulator.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Scaled matrix product plus a scaled matrix, rounded once (ops.md 6, ONNX Gemm-13).
struct Gemm {
  double alpha = 1;
  double beta = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  bool has_c = false;
  std::optional<DType> accumulator = {};

  static constexpr auto name = "gemm";
  static constexpr auto summary = "scaled matrix product plus a scaled, broadcast matrix";
  static constexpr auto formula =
      "y[m, n] = alpha·Σ_k a[m, k]·b[k, n] + beta·c[m, n], rounded once; beta = 0 still adds 0·c";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"a", dtypes::R, "[M, K]"}, Input{"b", dtypes::R, "[K, N]", "a"},
                                        Input{"c", dtypes::R, "broadcasts to [M, N]", "a", "has_c"}};
  static constexpr std::array outputs = {Output{"y", "as a [M, N]"}};
  static constexpr std::array<std::string_view, 4> checks = {"a and b must have rank 2", "inner extents must be equal",
                                                             "c must broadcast to [M, N]", kernels::accumulator_rule};
  static constexpr auto fields = std::tuple{
      Field{"alpha", &Gemm::alpha, "factor of the product"},
      Field{"beta", &Gemm::beta, "factor of c"},
      Field{"transpose_a", &Gemm::transpose_a, "a is [K, M]"},
      Field{"transpose_b", &Gemm::transpose_b, "b is [N, K]"},
      Field{"has_c", &Gemm::has_c, "whether there is a c"},
      Field{"accumulator", &Gemm::accumulator, kernels::accumulator_help},
  };

  TensorTypes infer(Types in) const {
    const auto &a = in[0].shape, &b = in[1].shape;
    check(*this, 1, a.rank() == 2 && b.rank() == 2, "a is ", in[0], ", b is ", in[1]);
    check(*this, 2, a[transpose_a ? 0 : 1] == b[transpose_b ? 1 : 0], "a is ", in[0], transpose_a ? " transposed" : "",
          ", b is ", in[1], transpose_b ? " transposed" : "");
    const Shape y = {a[transpose_a ? 1 : 0], b[transpose_b ? 0 : 1]};
    if (has_c) check(*this, 3, broadcasts_to(in[2].shape, y), "c is ", in[2], ", [M, N] is ", y);
    check(*this, 4, kernels::can_accumulate(in[0].dtype, accumulator), "operands are ", in[0].dtype,
          ", accumulator is ", accumulator.value_or(in[0].dtype));
    return {{in[0].dtype, y}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const auto k = in[0].shape[transpose_a ? 0 : 1];
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types) const {
    const std::size_t row = transpose_a ? 1 : 0, column = transpose_b ? 0 : 1;
    Loops made{.loops = {{.out = 0, .in = {row, Axis()}},
                         {.out = 1, .in = {Axis(), column}},
                         kernels::summed({1 - row, 1 - column})},
               .operands = {kernels::linear_data, kernels::linear_factor}};
    if (!has_c) return made;
    made.operands.push_back({Role::addend});
    for (std::size_t axis = 0; axis < 2; ++axis)
      made.loops[axis].in.push_back(kernels::broadcast_axis(in[2].shape, axis, 2));
    return made;
  }
  bool operator==(const Gemm&) const = default;
};

}  // namespace plumb::ir::ops
