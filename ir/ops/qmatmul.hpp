#pragma once

#include "ir/kernels/code_loops.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Matrix product of codes, scaled and rounded to codes (ops.md 12, ONNX QLinearMatMul-21). Sums saturate only as
/// codes: before, they wrap modulo 2^32.
struct Qmatmul {
  bool has_bias = false;

  static constexpr auto name = "qmatmul";
  static constexpr auto summary = "matrix product of 8-bit codes, scaled and rounded to 8-bit codes";
  static constexpr auto formula =
      "y = saturate(round(acc·(a_scale·b_scale/y_scale)) + y_zero), ties to even, NaN gives y_zero; acc = Σ_k (a − "
      "a_zero)·(b − b_zero) + bias[n] modulo 2^32";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"a", kernels::codes, "[.., M, K]"},
                                        Input{"a_scale", dtypes::R, "[] or [1] or [M] or [.., M, 1]"},
                                        Input{"a_zero", kernels::codes, "as a_scale", "a"},
                                        Input{"b", kernels::codes, "[.., K, N]"},
                                        Input{"b_scale", dtypes::R, "[] or [1] or [N] or [.., 1, N]", "a_scale"},
                                        Input{"b_zero", kernels::codes, "as b_scale", "b"},
                                        Input{"y_scale", dtypes::R, "[] or [1]", "a_scale"},
                                        Input{"y_zero", kernels::codes, "as y_scale"},
                                        Input{"bias", DType::i32, "[N]", {}, "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as y_zero [batch.., M, N]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "ranks must be at least 2, inner extents equal, and batch axes must broadcast",
      "a_zero must be [], [1], [M] or broadcast to [.., M, 1] of a, b_zero [], [1], [N] or to [.., 1, N] of b",
      "a_scale must have the shape of a_zero, b_scale that of b_zero, y_scale that of y_zero",
      "y_scale and y_zero must be [] or [1]", "bias must be [N]"};
  static constexpr auto fields = std::tuple{Field{"has_bias", &Qmatmul::has_bias, "whether there is a bias"}};

  TensorTypes infer(Types in) const {
    auto y = kernels::shape_of_product(in[0].shape, in[3].shape);
    check(*this, 1, y.has_value(), "a is ", in[0], ", b is ", in[3]);
    check(*this, 2, kernels::shape_over_lines(in[2].shape, in[0].shape, kernels::MatrixLines::rows).has_value(),
          "a is ", in[0], ", a_zero is ", in[2]);
    check(*this, 2, kernels::shape_over_lines(in[5].shape, in[3].shape, kernels::MatrixLines::columns).has_value(),
          "b is ", in[3], ", b_zero is ", in[5]);
    for (const std::size_t scale : {1, 4, 6})
      check(*this, 3, in[scale].shape == in[scale + 1].shape, "a scale is ", in[scale], ", its zero point ",
            in[scale + 1]);
    check(*this, 4, kernels::is_of_all(in[7].shape), "y_zero is ", in[7]);
    if (has_bias) check(*this, 5, in[8].shape == Shape{y->back()}, "b is ", in[3], ", bias is ", in[8]);
    return {{in[7].dtype, std::move(*y)}};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types out) const { return kernels::cost_of_product(in[0].shape, out[0].shape); }
  Loops loops(Types in, Types out) const {
    using enum kernels::MatrixLines;
    std::vector<kernels::LineOperand> lines = {{1, rows}, {2, rows}, {4, columns}, {5, columns}};
    if (has_bias) lines.push_back({8, columns});
    Loops made = kernels::product_of_codes(in, out[0].shape, 3, lines, true);
    made.rounds = kernels::rounded_to_codes;
    return made;
  }
  bool operator==(const Qmatmul&) const = default;
};

}  // namespace plumb::ir::ops
