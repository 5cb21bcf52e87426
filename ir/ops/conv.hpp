#pragma once

#include "ir/kernels/accumulator.hpp"
#include "ir/kernels/convolution.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Convolution in one, two or three dimensions, as neural networks mean it: the
/// kernel is not flipped, and x is 0 outside (ops.md 9, ONNX Conv-22).
struct Conv {
  std::vector<std::int64_t> strides, dilations, pads;
  std::int64_t group = 1;
  bool has_bias = false;
  std::optional<DType> accumulator = {};

  static constexpr auto name = "conv";
  static constexpr auto summary = "1-D, 2-D or 3-D convolution (cross-correlation), zero padded, in groups";
  static constexpr auto formula =
      "y[n, m, o] = bias[m] + Σ_{c < C/g, t} w[m, c, t]·x[n, floor(m·g/M)·C/g + c, o·stride − pad_begin + t·dilation]";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, D..]"},
                                        Input{"w", dtypes::R, "[M, C/g, k..]", "x"},
                                        Input{"bias", dtypes::R, "[M]", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, M, O..]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "x must have rank 3 to 5, w the same rank, bias [M]", kernels::convolution_rules[1],
      kernels::convolution_rules[2], kernels::convolution_rules[3], kernels::accumulator_rule};
  static constexpr auto fields = std::tuple{
      Field{"strides", &Conv::strides, "step of the kernel on each spatial axis; empty means all 1"},
      Field{"dilations", &Conv::dilations, "distance of the kernel's elements on each spatial axis; empty means all 1"},
      Field{"pads", &Conv::pads, "zeros before x on each spatial axis, then those behind it; empty means none"},
      Field{"group", &Conv::group, "number of groups that share no channels"},
      Field{"has_bias", &Conv::has_bias, "whether there is a bias"},
      Field{"accumulator", &Conv::accumulator, kernels::accumulator_help},
  };

  /// The geometry of each spatial axis, for operands that passed C1.
  std::vector<kernels::Window> axes(const Shape& x, const Shape& w) const {
    return kernels::windows(x, std::span(w).subspan(2), strides, dilations, pads);
  }

  TensorTypes infer(Types in) const {
    Shape y = kernels::shape_of_convolution(*this, in[0], in[1]);
    if (has_bias) check(*this, 1, in[2].shape == Shape{y[1]}, "w is ", in[1], ", bias is ", in[2]);
    check(*this, 5, kernels::can_accumulate(in[0].dtype, accumulator), "operands are ", in[0].dtype,
          ", accumulator is ", accumulator.value_or(in[0].dtype));
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const { return kernels::cost_of_convolution(in[1].shape, out[0].shape); }
  Loops loops(Types in, Types) const { return kernels::convolution(in, group, 0, 1); }
  bool operator==(const Conv&) const = default;
};

}  // namespace plumb::ir::ops
