// Declares the simple recurrent network: a state that is a function of the input and of the state before it.
#pragma once

#include "ir/kernels/recurrent.hpp"

namespace plumb::ir::ops {

/// A simple recurrent network (ops.md 11, ONNX RNN-22 with layout 0).
struct Rnn {
  kernels::RecurrentDirection direction = kernels::RecurrentDirection::forward;
  kernels::RecurrentActivation activation = kernels::RecurrentActivation::tanh;
  std::optional<double> clip = std::nullopt;
  bool has_bias = false;
  bool has_lengths = false;
  bool has_initial_h = false;

  static constexpr std::int64_t gates = 1;
  static constexpr auto name = "rnn";
  static constexpr auto summary = "simple recurrent network";
  static constexpr auto formula =
      "h' = f(κ(W·x[t] + R·h + Wb + Rb)), y[t] = h', κ the clamp to ±clip; bias is (Wb, Rb), the second direction runs "
      "from the end; beyond a length y is 0, and h_n the last state before it";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[T, B, I]"},
                                        Input{"w", dtypes::R, "[D, H, I]", "x"},
                                        Input{"r", dtypes::R, "[D, H, H]", "x"},
                                        Input{"bias", dtypes::R, "[D, 2H]", "x", "has_bias"},
                                        Input{"lengths", dtypes::X, "[B]", {}, "has_lengths"},
                                        Input{"h0", dtypes::R, "[D, B, H]", "x", "has_initial_h"}};
  static constexpr std::array outputs = {Output{"y", "as x [T, D, B, H]"}, Output{"h_n", "as x [D, B, H]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "D must be 2 if bidirectional, else 1", "T, B, I, D and H must be the same everywhere, H at least 1",
      "clip must be more than 0"};
  static constexpr auto fields = std::tuple{
      Field{"direction", &Rnn::direction, "from the first step, from the last, or both"},
      Field{"activation", &Rnn::activation, "the function f"},
      Field{"clip", &Rnn::clip, "operands of f are clamped to ±clip; absent: they are not"},
      Field{"has_bias", &Rnn::has_bias, "takes the input bias"},
      Field{"has_lengths", &Rnn::has_lengths, "takes the input lengths: steps of each sequence, all of them without"},
      Field{"has_initial_h", &Rnn::has_initial_h, "takes the input h0: the first state, 0 without"},
  };

  TensorTypes infer(Types in) const {
    const kernels::RecurrentExtents n = kernels::checked_recurrent_extents(*this, in);
    return {{in[0].dtype, n.all_states()}, {in[0].dtype, n.states()}};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const { return kernels::recurrent_cost(kernels::recurrent_extents(*this, in)); }
  Loops loops(Types in, Types) const { return kernels::recurrent_loops(*this, in); }
  bool operator==(const Rnn&) const = default;
};

}  // namespace plumb::ir::ops
