#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Every line of the trailing axes brought to mean 0 and variance 1, then scaled
/// and shifted (ops.md 7, ONNX LayerNormalization-17). Its constraint C3, a
/// normalised extent of at least 1 unless x is empty, cannot be broken.
struct LayerNorm {
  std::int64_t axis = -1;
  double epsilon = 1e-5;
  bool has_scale = true;
  bool has_bias = true;
  bool statistics = false;

  static constexpr auto name = "layer_norm";
  static constexpr auto summary = "standardised lines, scaled and shifted";
  static constexpr auto formula =
      "μ = mean(x), v = mean((x - μ)²), r = 1/√(v + epsilon), y = (x - μ)·r·scale + bias, rounded once; statistics are "
      "μ and "
      "r; those of no elements are NaN";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"},
                                        Input{"scale", dtypes::R, "broadcasts to x", "x", "has_scale"},
                                        Input{"bias", dtypes::R, "broadcasts to x", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x"}, Output{"mean", "f64 of f64, else f32 [x[:axis], 1..]"},
                                         Output{"inv_std", "as mean"}};
  static constexpr std::array<std::string_view, 2> checks = {"scale and bias must broadcast to x",
                                                             "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &LayerNorm::axis, "first normalised axis; negative counts from the end"},
      Field{"epsilon", &LayerNorm::epsilon, "added to the variance"},
      Field{"has_scale", &LayerNorm::has_scale, "takes the input scale"},
      Field{"has_bias", &LayerNorm::has_bias, "takes the input bias"},
      Field{"statistics", &LayerNorm::statistics, "also gives mean and inv_std"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    const auto first = x.axis(axis);
    for (const TensorType& affine : in.subspan(1))
      check(*this, 1, broadcasts_to(affine.shape, x), "x is ", in[0], ", got ", affine);
    check(*this, 2, epsilon >= 0, "got ", epsilon);
    if (!statistics) return {in[0]};
    Shape lines = x.leading(first);
    lines.resize(x.size(), 1);
    const TensorType one{in[0].dtype == DType::f64 ? DType::f64 : DType::f32, std::move(lines)};
    return {in[0], one, one};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    return {8.0 * static_cast<double>(in[0].shape.elements()), lines_from(in[0].shape, axis).length};
  }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::norm(in, in[0].shape.axis(axis)), .rounds = kernels::root_and_division};
  }
  bool operator==(const LayerNorm&) const = default;
};

}  // namespace plumb::ir::ops
