// Declares causal convolution, of chunks that follow each other.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class CausalActivation { none, silu };

constexpr auto enum_names(CausalActivation) { return std::array<std::string_view, 2>{"none", "silu"}; }

/// Convolution along time of every channel by itself, which sees the present and the past only, and hands on what the
/// next chunk has to see of this one (ops.md 9, ONNX CausalConvWithState-27).
///
///   in      x: the chunk [B, C, L]; state: the k − 1 samples before it, 0 where there is none
///   out     y: as x; state: the last k − 1 samples of what was seen, of the old state, too, where L < k − 1
struct CausalConv {
  CausalActivation activation = CausalActivation::none;
  bool has_bias = false, has_state = false;

  static constexpr auto name = "causal_conv";
  static constexpr auto summary = "depthwise causal convolution along time, with a state between chunks";
  static constexpr auto formula =
      "z = state ++ x; y[b, c, t] = activation(bias[c] + Σ_j w[c, 0, j]·z[b, c, t + j]); the state is z's last k − 1";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[B, C, L]"}, Input{"w", dtypes::R, "[C, 1, k]", "x"},
                                        Input{"bias", dtypes::R, "[C]", "x", "has_bias"},
                                        Input{"state", dtypes::R, "[B, C, k-1]", "x", "has_state"}};
  static constexpr std::array outputs = {Output{"y", "as x [B, C, L]"}, Output{"state", "as x [B, C, k-1]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must be [B, C, L], w [C, 1, k] with k >= 1, bias [C] and state [B, C, k-1]"};
  static constexpr auto fields = std::tuple{
      Field{"activation", &CausalConv::activation, "what is done to the sum: nothing, or silu"},
      Field{"has_bias", &CausalConv::has_bias, "whether there is a bias"},
      Field{"has_state", &CausalConv::has_state, "whether there is a state; without one it is 0"},
  };

  /// Which operand the state is.
  std::size_t state_operand() const { return has_bias ? 3 : 2; }

  TensorTypes infer(Types in) const {
    const auto &x = in[0].shape, &w = in[1].shape;
    check(*this, 1, x.rank() == 3 && w.rank() == 3 && w[0] == x[1] && w[1] == 1 && w[2] >= 1, "x is ", in[0], ", w is ",
          in[1]);
    if (has_bias) check(*this, 1, in[2].shape == Shape{x[1]}, "x is ", in[0], ", bias is ", in[2]);
    const Shape state = {x[0], x[1], w[2] - 1};
    if (has_state)
      check(*this, 1, in[state_operand()].shape == state, "x is ", in[0], ", w is ", in[1], ", state is ",
            in[state_operand()]);
    return {in[0], {in[0].dtype, state}};
  }
  ErrorClass error_class() const { return activation == CausalActivation::none ? ErrorClass::dot : ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const std::int64_t taps = in[1].shape.back();
    return {2.0 * static_cast<double>(taps) * static_cast<double>(in[0].shape.elements()), taps};
  }
  Loops loops(Types in, Types) const {
    const bool is_linear = activation == CausalActivation::none;
    Loops made{.operands = {kernels::linear_data, kernels::linear_factor}};
    if (!is_linear) {
      made.operands = {{Role::data}, {Role::factor}};
      made.rounds = "silu is rounded";
    }
    std::vector<Axis> batches = {Axis()}, channels = {0}, states = {Axis(), Axis()};
    if (has_bias) {
      batches.push_back({});
      channels.push_back(0);
      states.push_back({});
      made.operands.push_back({Role::addend});
    }
    if (has_state) {
      batches.push_back(0);
      channels.push_back(1);
      states.push_back(2);
      made.operands.push_back({Role::data});
    }
    made.loops = {kernels::along(in, 0, batches), kernels::along(in, 1, channels), kernels::taps({2}, 2),
                  kernels::taps({Axis(), 2})};
    if (has_state) made.loops.push_back(kernels::taps(states));
    return made;
  }
  bool operator==(const CausalConv&) const = default;
};

}  // namespace plumb::ir::ops
