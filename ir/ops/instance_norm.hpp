#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Every channel of every image brought to mean 0 and variance 1, then scaled and
/// shifted: group_norm with one channel a group (ops.md 7, ONNX InstanceNormalization-22).
struct InstanceNorm {
  double epsilon = 1e-5;

  static constexpr auto name = "instance_norm";
  static constexpr auto summary = "standardised channels of each image, scaled and shifted";
  static constexpr auto formula =
      "μ, v over all positions of each (n, c), r = 1/√(v + epsilon), y = (x - μ)·r·scale[c] + bias[c], rounded once";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, ..]"}, Input{"scale", dtypes::R, "[C]", "x"},
                                        Input{"bias", dtypes::R, "[C]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "x must have a rank of at least 3", "scale and bias must be [C]", "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"epsilon", &InstanceNorm::epsilon, "added to the variance"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1, x.rank() >= 3, "x is ", in[0]);
    for (const TensorType& affine : in.subspan(1))
      check(*this, 2, affine.shape == Shape{x[1]}, "x is ", in[0], ", got ", affine);
    check(*this, 3, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const auto& x = in[0].shape;
    return {8.0 * static_cast<double>(x.elements()), x.elements() > 0 ? x.elements() / (x[0] * x[1]) : 0};
  }
  Loops loops(Types in, Types) const {
    std::vector<bool> is_reduced(in[0].shape.size(), true);
    is_reduced[0] = is_reduced[1] = false;
    Loops made{.loops = kernels::lines(in, is_reduced, Reduction::other), .rounds = kernels::root_and_division};
    made.loops[1] = kernels::along(in, 1, {0, 0});
    return made;
  }
  bool operator==(const InstanceNorm&) const = default;
};

}  // namespace plumb::ir::ops
