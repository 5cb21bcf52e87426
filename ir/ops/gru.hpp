// Declares the gated recurrent unit: an update gate, a reset gate and a candidate for the state.
#pragma once

#include "ir/kernels/recurrent.hpp"

namespace plumb::ir::ops {

/// A gated recurrent unit (ops.md 11, ONNX GRU-22 with layout 0).
struct Gru {
  kernels::RecurrentDirection direction = kernels::RecurrentDirection::forward;
  kernels::RecurrentActivation gate_activation = kernels::RecurrentActivation::sigmoid;
  kernels::RecurrentActivation hidden_activation = kernels::RecurrentActivation::tanh;
  std::optional<double> clip = std::nullopt;
  bool linear_before_reset = false;
  bool has_bias = false;
  bool has_lengths = false;
  bool has_initial_h = false;

  static constexpr std::int64_t gates = 3;
  static constexpr auto name = "gru";
  static constexpr auto summary = "gated recurrent unit";
  static constexpr auto formula =
      "z = f(κ(W_z·x + R_z·h + b_z)), r = f(κ(W_r·x + R_r·h + b_r)), ĥ = g(κ(W_h·x + R_h·(r⊙h) + Rb_h + Wb_h)), or "
      "g(κ(W_h·x + r⊙(R_h·h + Rb_h) + Wb_h)) with linear_before_reset, h' = (1 - z)⊙ĥ + z⊙h, y[t] = h', κ the clamp to "
      "±clip; gates lie in the order z, r, h, and bias is (Wb, Rb); the second direction runs from the end; beyond a "
      "length y is 0, and h_n the last state before it";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[T, B, I]"},
                                        Input{"w", dtypes::R, "[D, 3H, I]", "x"},
                                        Input{"r", dtypes::R, "[D, 3H, H]", "x"},
                                        Input{"bias", dtypes::R, "[D, 6H]", "x", "has_bias"},
                                        Input{"lengths", dtypes::X, "[B]", {}, "has_lengths"},
                                        Input{"h0", dtypes::R, "[D, B, H]", "x", "has_initial_h"}};
  static constexpr std::array outputs = {Output{"y", "as x [T, D, B, H]"}, Output{"h_n", "as x [D, B, H]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "D must be 2 if bidirectional, else 1", "T, B, I, D and H must be the same everywhere, H at least 1",
      "clip must be more than 0"};
  static constexpr auto fields = std::tuple{
      Field{"direction", &Gru::direction, "from the first step, from the last, or both"},
      Field{"gate_activation", &Gru::gate_activation, "the function f"},
      Field{"hidden_activation", &Gru::hidden_activation, "the function g"},
      Field{"clip", &Gru::clip, "operands of f and g are clamped to ±clip; absent: they are not"},
      Field{"linear_before_reset", &Gru::linear_before_reset, "the reset gate is applied behind the product with R_h"},
      Field{"has_bias", &Gru::has_bias, "takes the input bias"},
      Field{"has_lengths", &Gru::has_lengths, "takes the input lengths: steps of each sequence, all of them without"},
      Field{"has_initial_h", &Gru::has_initial_h, "takes the input h0: the first state, 0 without"},
  };

  TensorTypes infer(Types in) const {
    const kernels::RecurrentExtents n = kernels::checked_recurrent_extents(*this, in);
    return {{in[0].dtype, n.all_states()}, {in[0].dtype, n.states()}};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const { return kernels::recurrent_cost(kernels::recurrent_extents(*this, in)); }
  Loops loops(Types in, Types) const { return kernels::recurrent_loops(*this, in); }
  bool operator==(const Gru&) const = default;
};

}  // namespace plumb::ir::ops
