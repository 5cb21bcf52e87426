#pragma once

#include "ir/kernels/code_loops.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Matrix product of codes less their zero points, exact modulo 2^32 (ops.md 12, ONNX MatMulInteger-10).
struct MatmulInteger {
  bool has_a_zero = false;
  bool has_b_zero = false;

  static constexpr auto name = "matmul_integer";
  static constexpr auto summary = "matrix product of 8-bit codes less their zero points, in i32";
  static constexpr auto formula =
      "y[.., m, n] = Σ_k (a[.., m, k] − a_zero)·(b[.., k, n] − b_zero) modulo 2^32; K = 0 gives 0";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      Input{"a", kernels::codes, "[.., M, K]"}, Input{"b", kernels::codes, "[.., K, N]"},
      Input{"a_zero", kernels::codes, "[] or [1] or [M] or [.., M, 1]", "a", "has_a_zero"},
      Input{"b_zero", kernels::codes, "[] or [1] or [N] or [.., 1, N]", "b", "has_b_zero"}};
  static constexpr std::array outputs = {Output{"y", "i32 [batch.., M, N]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "ranks must be at least 2, inner extents equal, and batch axes must broadcast",
      "a_zero must be [], [1], [M] or broadcast to [.., M, 1] of a, b_zero [], [1], [N] or to [.., 1, N] of b"};
  static constexpr auto fields = std::tuple{
      Field{"has_a_zero", &MatmulInteger::has_a_zero, "whether a has zero points; without them they are 0"},
      Field{"has_b_zero", &MatmulInteger::has_b_zero, "whether b has zero points; without them they are 0"},
  };

  /// Which operand b_zero is.
  std::size_t b_zero() const { return has_a_zero ? 3 : 2; }

  TensorTypes infer(Types in) const {
    auto y = kernels::shape_of_product(in[0].shape, in[1].shape);
    check(*this, 1, y.has_value(), "a is ", in[0], ", b is ", in[1]);
    if (has_a_zero)
      check(*this, 2, kernels::shape_over_lines(in[2].shape, in[0].shape, kernels::MatrixLines::rows).has_value(),
            "a is ", in[0], ", a_zero is ", in[2]);
    if (has_b_zero)
      check(*this, 2,
            kernels::shape_over_lines(in[b_zero()].shape, in[1].shape, kernels::MatrixLines::columns).has_value(),
            "b is ", in[1], ", b_zero is ", in[b_zero()]);
    return {{DType::i32, std::move(*y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types in, Types out) const { return kernels::cost_of_product(in[0].shape, out[0].shape); }
  Loops loops(Types in, Types out) const {
    std::vector<kernels::LineOperand> zeros;
    if (has_a_zero) zeros.push_back({2, kernels::MatrixLines::rows});
    if (has_b_zero) zeros.push_back({b_zero(), kernels::MatrixLines::columns});
    return kernels::product_of_codes(in, out[0].shape, 1, zeros, has_a_zero && has_b_zero);
  }
  bool operator==(const MatmulInteger&) const = default;
};

}  // namespace plumb::ir::ops
