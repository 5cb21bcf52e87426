#pragma once

#include "ir/kernels/code_loops.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/kernels/convolution.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Convolution of codes less their zero points, exact modulo 2^32 (ops.md 12, ONNX ConvInteger-10). What lies outside
/// x is x_zero, and so contributes nothing.
struct ConvInteger {
  std::vector<std::int64_t> strides = {}, dilations = {}, pads = {};
  std::int64_t group = 1;
  bool has_x_zero = false;
  bool has_w_zero = false;

  static constexpr auto name = "conv_integer";
  static constexpr auto summary = "1-D, 2-D or 3-D convolution of 8-bit codes less their zero points, in i32";
  static constexpr auto formula =
      "y[n, m, o] = Σ_{c < C/g, t} (w[m, c, t] − w_zero[m])·(x[n, floor(m·g/M)·C/g + c, o·stride − pad_begin + "
      "t·dilation] − x_zero) modulo 2^32, over the taps inside x";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", kernels::codes, "[N, C, D..]"},
                                        Input{"w", kernels::codes, "[M, C/g, k..]"},
                                        Input{"x_zero", kernels::codes, "[] or [1]", "x", "has_x_zero"},
                                        Input{"w_zero", kernels::codes, "[] or [1] or [M]", "w", "has_w_zero"}};
  static constexpr std::array outputs = {Output{"y", "i32 [N, M, O..]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      kernels::convolution_rules[0], kernels::convolution_rules[1], kernels::convolution_rules[2],
      kernels::convolution_rules[3], "x_zero must be [] or [1], w_zero [], [1] or [M]"};
  static constexpr auto fields = std::tuple{
      Field{"strides", &ConvInteger::strides, "step of the kernel on each spatial axis; empty means all 1"},
      Field{"dilations", &ConvInteger::dilations,
            "distance of the kernel's elements on each spatial axis; empty means all 1"},
      Field{"pads", &ConvInteger::pads, "x_zero before x on each spatial axis, then behind it; empty means none"},
      Field{"group", &ConvInteger::group, "number of groups that share no channels"},
      Field{"has_x_zero", &ConvInteger::has_x_zero, "whether x has a zero point; without it it is 0"},
      Field{"has_w_zero", &ConvInteger::has_w_zero, "whether w has zero points; without them they are 0"},
  };

  /// The geometry of each spatial axis, for operands that passed C1.
  std::vector<kernels::Window> axes(const Shape& x, const Shape& w) const {
    return kernels::windows(x, std::span(w).subspan(2), strides, dilations, pads);
  }
  /// Which operand w_zero is.
  std::size_t w_zero() const { return has_x_zero ? 3 : 2; }

  TensorTypes infer(Types in) const {
    Shape y = kernels::shape_of_convolution(*this, in[0], in[1]);
    if (has_x_zero) check(*this, 5, kernels::is_of_all(in[2].shape), "x_zero is ", in[2]);
    if (has_w_zero)
      check(*this, 5, kernels::is_of_filters(in[w_zero()].shape, in[1].shape[0]), "w is ", in[1], ", w_zero is ",
            in[w_zero()]);
    return {{DType::i32, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types in, Types out) const { return kernels::cost_of_convolution(in[1].shape, out[0].shape); }
  Loops loops(Types in, Types) const {
    std::vector<std::size_t> of_filters;
    if (has_w_zero) of_filters.push_back(w_zero());
    return kernels::convolution_of_codes(in, 1, group, of_filters, has_x_zero && has_w_zero);
  }
  bool operator==(const ConvInteger&) const = default;
};

}  // namespace plumb::ir::ops
