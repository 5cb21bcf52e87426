#pragma once

#include "ir/kernels/code_loops.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/kernels/convolution.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Convolution of codes, scaled and rounded to codes (ops.md 12, ONNX QLinearConv-10). What lies outside x is x_zero,
/// and so contributes nothing.
struct Qconv {
  std::vector<std::int64_t> strides = {}, dilations = {}, pads = {};
  std::int64_t group = 1;
  bool has_bias = false;

  static constexpr auto name = "qconv";
  static constexpr auto summary = "1-D, 2-D or 3-D convolution of 8-bit codes, scaled and rounded to 8-bit codes";
  static constexpr auto formula =
      "y = saturate(round(acc·(x_scale·w_scale/y_scale)) + y_zero), ties to even, NaN gives y_zero; acc[n, m, o] = "
      "bias[m] + Σ (w[m, c, t] − w_zero[m])·(x[n, .., o·stride − pad_begin + t·dilation] − x_zero) modulo 2^32";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", kernels::codes, "[N, C, D..]"},
                                        Input{"x_scale", dtypes::R, "[] or [1]"},
                                        Input{"x_zero", kernels::codes, "as x_scale", "x"},
                                        Input{"w", kernels::codes, "[M, C/g, k..]"},
                                        Input{"w_scale", dtypes::R, "[] or [1] or [M]", "x_scale"},
                                        Input{"w_zero", kernels::codes, "as w_scale", "w"},
                                        Input{"y_scale", dtypes::R, "[] or [1]", "x_scale"},
                                        Input{"y_zero", kernels::codes, "as y_scale"},
                                        Input{"bias", DType::i32, "[M]", {}, "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as y_zero [N, M, O..]"}};
  static constexpr std::array<std::string_view, 7> checks = {
      kernels::convolution_rules[0],
      kernels::convolution_rules[1],
      kernels::convolution_rules[2],
      kernels::convolution_rules[3],
      "x_zero and y_zero must be [] or [1], w_zero [], [1] or [M]",
      "x_scale must have the shape of x_zero, w_scale that of w_zero, y_scale that of y_zero",
      "bias must be [M]"};
  static constexpr auto fields = std::tuple{
      Field{"strides", &Qconv::strides, "step of the kernel on each spatial axis; empty means all 1"},
      Field{"dilations", &Qconv::dilations,
            "distance of the kernel's elements on each spatial axis; empty means all 1"},
      Field{"pads", &Qconv::pads, "x_zero before x on each spatial axis, then behind it; empty means none"},
      Field{"group", &Qconv::group, "number of groups that share no channels"},
      Field{"has_bias", &Qconv::has_bias, "whether there is a bias"},
  };

  /// The geometry of each spatial axis, for operands that passed C1.
  std::vector<kernels::Window> axes(const Shape& x, const Shape& w) const {
    return kernels::windows(x, std::span(w).subspan(2), strides, dilations, pads);
  }

  TensorTypes infer(Types in) const {
    Shape y = kernels::shape_of_convolution(*this, in[0], in[3]);
    const std::int64_t filters = y[1];
    check(*this, 5, kernels::is_of_all(in[2].shape) && kernels::is_of_all(in[7].shape), "x_zero is ", in[2],
          ", y_zero is ", in[7]);
    check(*this, 5, kernels::is_of_filters(in[5].shape, filters), "w is ", in[3], ", w_zero is ", in[5]);
    for (const std::size_t scale : {1, 4, 6})
      check(*this, 6, in[scale].shape == in[scale + 1].shape, "a scale is ", in[scale], ", its zero point ",
            in[scale + 1]);
    if (has_bias) check(*this, 7, in[8].shape == Shape{filters}, "w is ", in[3], ", bias is ", in[8]);
    return {{in[7].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types out) const { return kernels::cost_of_convolution(in[3].shape, out[0].shape); }
  Loops loops(Types in, Types) const {
    std::vector<std::size_t> of_filters = {4, 5};
    if (has_bias) of_filters.push_back(8);
    Loops made = kernels::convolution_of_codes(in, 3, group, of_filters, true);
    made.rounds = kernels::rounded_to_codes;
    return made;
  }
  bool operator==(const Qconv&) const = default;
};

}  // namespace plumb::ir::ops
