#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Groups of channels brought to mean 0 and variance 1, then scaled and shifted
/// channel by channel (ops.md 7, ONNX GroupNormalization-21).
struct GroupNorm {
  std::int64_t num_groups = 1;
  double epsilon = 1e-5;
  bool has_scale = true;
  bool has_bias = true;

  static constexpr auto name = "group_norm";
  static constexpr auto summary = "standardised groups of channels, scaled and shifted";
  static constexpr auto formula =
      "μ, v over the C/num_groups channels and all positions of each (n, group), r = 1/√(v + epsilon), "
      "y = (x - μ)·r·scale[c] + bias[c], rounded once";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, ..]"},
                                        Input{"scale", dtypes::R, "[C]", "x", "has_scale"},
                                        Input{"bias", dtypes::R, "[C]", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "x must have a rank of at least 2", "num_groups must be at least 1 and divide C", "scale and bias must be [C]",
      "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"num_groups", &GroupNorm::num_groups, "groups of neighbouring channels", Presence::required},
      Field{"epsilon", &GroupNorm::epsilon, "added to the variance"},
      Field{"has_scale", &GroupNorm::has_scale, "takes the input scale"},
      Field{"has_bias", &GroupNorm::has_bias, "takes the input bias"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1, x.rank() >= 2, "x is ", in[0]);
    check(*this, 2, num_groups >= 1 && x[1] % num_groups == 0, "got ", num_groups, ", x is ", in[0]);
    for (const TensorType& affine : in.subspan(1))
      check(*this, 3, affine.shape == Shape{x[1]}, "x is ", in[0], ", got ", affine);
    check(*this, 4, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const std::int64_t elements = in[0].shape.elements();
    return {8.0 * static_cast<double>(elements), elements > 0 ? elements / (in[0].shape[0] * num_groups) : 0};
  }
  Loops loops(Types in, Types) const {
    std::vector<bool> is_reduced(in[0].shape.size(), true);
    is_reduced[0] = false;
    Loops made{.loops = kernels::lines(in, is_reduced, Reduction::other), .rounds = kernels::root_and_division};
    for (std::size_t i = 1; i < in.size(); ++i) made.loops[1].in[i] = 0;
    made.loops[1].steps = StepOrder::ordered;  // channels belong to their groups
    return made;
  }
  bool operator==(const GroupNorm&) const = default;
};

}  // namespace plumb::ir::ops
