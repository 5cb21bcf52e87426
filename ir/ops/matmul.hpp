#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Matrix product over broadcast batch axes (ops.md 6, ONNX MatMul for rank >= 2).
struct Matmul {
  bool transpose_a = false;
  bool transpose_b = false;
  std::optional<DType> output_dtype;
  std::optional<DType> accumulator = {};

  static constexpr auto name = "matmul";
  static constexpr auto summary = "matrix product, batched with broadcasting";
  static constexpr auto formula = "y[.., m, n] = Σ_k a[.., m, k]·b[.., k, n]; integers wrap; K = 0 gives 0";
  static constexpr int tier = 1;
  static constexpr DTypes operand = dtypes::R | dtypes::Z | DType::i32 | DType::u32 | DType::i64;
  static constexpr std::array inputs = {Input{"a", operand, "[.., M, K]"}, Input{"b", operand, "[.., K, N]", "a"}};
  static constexpr std::array outputs = {Output{"y", "`output_dtype` or as a [batch.., M, N]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "ranks must be at least 2", "inner extents must be equal", "batch axes must broadcast",
      "output_dtype must be f32 for f16 or bf16 operands, else the operands' dtype",
      "accumulator must be the operands' dtype, and not bf16"};
  static constexpr auto fields = std::tuple{
      Field{"transpose_a", &Matmul::transpose_a, "a is [.., K, M]"},
      Field{"transpose_b", &Matmul::transpose_b, "b is [.., N, K]"},
      Field{"output_dtype", &Matmul::output_dtype, "f32 keeps the f32 accumulator of 16-bit operands unrounded"},
      Field{"accumulator", &Matmul::accumulator, "f16 allows a device to keep sums of f16 operands in f16"},
  };

  TensorTypes infer(Types in) const {
    const auto &a = in[0].shape, &b = in[1].shape;
    check(*this, 1, a.rank() >= 2 && b.rank() >= 2, "a is ", in[0], ", b is ", in[1]);
    const auto rows = [](const Shape& s) { return s[s.size() - 2]; };
    const auto columns = [](const Shape& s) { return s[s.size() - 1]; };
    const auto k_a = transpose_a ? rows(a) : columns(a), k_b = transpose_b ? columns(b) : rows(b);
    check(*this, 2, k_a == k_b, "a is ", in[0], transpose_a ? " transposed" : "", ", b is ", in[1],
          transpose_b ? " transposed" : "");
    const Shape batch_a = a.leading(a.size() - 2), batch_b = b.leading(b.size() - 2);
    check(*this, 3, broadcastable(batch_a, batch_b), "a is ", in[0], ", b is ", in[1]);
    const DType out = output_dtype.value_or(in[0].dtype);
    const bool half = in[0].dtype == DType::f16 || in[0].dtype == DType::bf16;
    check(*this, 4, out == in[0].dtype || (half && out == DType::f32), "operands are ", in[0].dtype,
          ", output_dtype is ", out);
    const DType sums = accumulator.value_or(DType::f32);
    check(*this, 5, !accumulator || (sums == in[0].dtype && sums != DType::bf16), "operands are ", in[0].dtype,
          ", accumulator is ", sums);
    Shape y = broadcast(batch_a, batch_b);
    y.push_back(transpose_a ? columns(a) : rows(a));
    y.push_back(transpose_b ? rows(b) : columns(b));
    return {{out, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const auto& a = in[0].shape;
    const auto k = transpose_a ? a[a.size() - 2] : a[a.size() - 1];
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types out) const {
    const std::size_t a = in[0].shape.size(), b = in[1].shape.size(), y = out[0].shape.size();
    const std::size_t row = a - (transpose_a ? 1 : 2), column = b - (transpose_b ? 2 : 1);
    Loops made{.operands = {kernels::linear_data, kernels::linear_factor}};
    for (std::size_t axis = 0; axis + 2 < y; ++axis)
      made.loops.push_back(
          {.out = axis,
           .in = {kernels::broadcast_axis(in[0].shape, axis, y), kernels::broadcast_axis(in[1].shape, axis, y)}});
    made.loops.push_back({.out = y - 2, .in = {row, Axis()}});
    made.loops.push_back({.out = y - 1, .in = {Axis(), column}});
    made.loops.push_back(kernels::summed({2 * a - 3 - row, 2 * b - 3 - column}));  // the other one of the last two
    return made;
  }
  bool operator==(const Matmul&) const = default;
};

}  // namespace plumb::ir::ops
