#pragma once

#include "ir/ops/layer_norm.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// A layer norm of a sum, which passes make: no graph file has it.
struct AddedNorm : ir::ops::LayerNorm {
  static constexpr auto name = "added_norm";
  static constexpr auto summary = "layer norm of the sum of two tensors";
  static constexpr auto formula = "layer_norm of x + residual, rounded once";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {LayerNorm::inputs[0], LayerNorm::inputs[1], LayerNorm::inputs[2],
                                        ir::Input{"residual", ir::dtypes::R, "as x", "x"}};
  static constexpr std::array<std::string_view, 3> checks = {LayerNorm::checks[0], LayerNorm::checks[1],
                                                             "residual must be as x"};

  ir::TensorTypes infer(ir::Types in) const {
    ir::check(*this, 3, in.back() == in[0], "x is ", in[0], ", residual is ", in.back());
    return LayerNorm::infer(in.first(in.size() - 1));
  }
  bool operator==(const AddedNorm&) const = default;
};

}  // namespace plumb::gpu_vulkan::fused_ops
