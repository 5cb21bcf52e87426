#pragma once

#include "ir/ops/conv.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// A convolution with what follows it, which passes make: no graph file has it.
struct FusedConv : ir::ops::Conv {
  bool has_residual = false;
  std::optional<double> low, high;

  static constexpr auto name = "fused_conv";
  static constexpr auto summary = "convolution, another tensor added, limits";
  static constexpr auto formula = "y = minimum(maximum(conv + residual, low), high), rounded once";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Conv::inputs[0], Conv::inputs[1], Conv::inputs[2],
                                        ir::Input{"residual", ir::dtypes::R, "as y", "x", "has_residual"}};
  static constexpr std::array<std::string_view, 6> checks = {Conv::checks[0], Conv::checks[1], Conv::checks[2],
                                                             Conv::checks[3], Conv::checks[4], "residual must be as y"};
  static constexpr auto fields =
      std::tuple_cat(Conv::fields, std::tuple{
                                       ir::Field{"has_residual", &FusedConv::has_residual, "takes residual"},
                                       ir::Field{"low", &FusedConv::low, "lower limit"},
                                       ir::Field{"high", &FusedConv::high, "upper limit"},
                                   });

  ir::TensorTypes infer(ir::Types in) const {
    auto y = Conv::infer(in);
    if (has_residual) ir::check(*this, 6, in.back() == y[0], "y is ", y[0], ", residual is ", in.back());
    return y;
  }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const FusedConv&) const = default;
};

}  // namespace plumb::gpu_vulkan::fused_ops
