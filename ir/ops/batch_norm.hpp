#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Channels standardised by statistics that are given, then scaled and shifted
/// (ops.md 7, ONNX BatchNormalization-15 with training_mode 0).
struct BatchNorm {
  std::int64_t axis = 1;
  double epsilon = 1e-5;

  static constexpr auto name = "batch_norm";
  static constexpr auto summary = "channels standardised by given statistics, scaled and shifted";
  static constexpr auto formula =
      "y = (x - mean[c])·(scale[c] / √(variance[c] + epsilon)) + bias[c], c along `axis`, rounded once";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., C, ..]"}, Input{"scale", dtypes::R, "[C]", "x"},
                                        Input{"bias", dtypes::R, "[C]", "x"}, Input{"mean", dtypes::R, "[C]", "x"},
                                        Input{"variance", dtypes::R, "[C]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "scale, bias, mean and variance must have the extent of the axis", "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &BatchNorm::axis, "the channels' axis; negative counts from the end"},
      Field{"epsilon", &BatchNorm::epsilon, "added to the variance"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    const Shape channels = {x[x.axis(axis)]};
    for (const TensorType& operand : in.subspan(1))
      check(*this, 1, operand.shape == channels, "x is ", in[0], ", axis is ", axis, ", got ", operand);
    check(*this, 2, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const { return {3.0 * static_cast<double>(in[0].shape.elements()), 0}; }
  Loops loops(Types in, Types) const {
    Loops made{.operands = {{}, {Role::parameter}, {Role::parameter}, {Role::parameter}, {Role::variance}},
               .rounds = kernels::root_and_division};
    for (std::size_t a = 0; a < in[0].shape.size(); ++a) {
      const Axis channel = a == in[0].shape.axis(axis) ? Axis(0) : Axis();
      made.loops.push_back(kernels::along(in, a, {channel, channel, channel, channel}));
    }
    return made;
  }
  bool operator==(const BatchNorm&) const = default;
};

}  // namespace plumb::ir::ops
