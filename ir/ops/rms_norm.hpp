#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Every line of the trailing axes brought to mean square 1, then scaled and
/// shifted (ops.md 7, ONNX RMSNormalization-23 with a bias). Its constraint C3, a
/// normalised extent of at least 1 unless x is empty, cannot be broken.
struct RmsNorm {
  std::int64_t axis = -1;
  double epsilon = 1e-5;
  bool has_scale = true;
  bool has_bias = false;

  static constexpr auto name = "rms_norm";
  static constexpr auto summary = "lines of mean square 1, scaled and shifted";
  static constexpr auto formula = "r = 1/√(mean(x²) + epsilon), y = x·r·scale + bias, rounded once";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"},
                                        Input{"scale", dtypes::R, "broadcasts to x", "x", "has_scale"},
                                        Input{"bias", dtypes::R, "broadcasts to x", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {"scale and bias must broadcast to x",
                                                             "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &RmsNorm::axis, "first normalised axis; negative counts from the end"},
      Field{"epsilon", &RmsNorm::epsilon, "added to the mean square"},
      Field{"has_scale", &RmsNorm::has_scale, "takes the input scale"},
      Field{"has_bias", &RmsNorm::has_bias, "takes the input bias"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    x.axis(axis);
    for (const TensorType& affine : in.subspan(1))
      check(*this, 1, broadcasts_to(affine.shape, x), "x is ", in[0], ", got ", affine);
    check(*this, 2, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    return {5.0 * static_cast<double>(in[0].shape.elements()), lines_from(in[0].shape, axis).length};
  }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::norm(in, in[0].shape.axis(axis)), .rounds = kernels::root_and_division};
  }
  bool operator==(const RmsNorm&) const = default;
};

}  // namespace plumb::ir::ops
