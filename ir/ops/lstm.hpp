// Declares the long short-term memory: gates of input, output and forgetting around a cell.
#pragma once

#include "ir/kernels/recurrent.hpp"

namespace plumb::ir::ops {

/// A long short-term memory (ops.md 11, ONNX LSTM-22 with layout 0).
struct Lstm {
  kernels::RecurrentDirection direction = kernels::RecurrentDirection::forward;
  kernels::RecurrentActivation gate_activation = kernels::RecurrentActivation::sigmoid;
  kernels::RecurrentActivation cell_activation = kernels::RecurrentActivation::tanh;
  kernels::RecurrentActivation hidden_activation = kernels::RecurrentActivation::tanh;
  std::optional<double> clip = std::nullopt;
  bool input_forget = false;
  bool cell_states = false;
  bool has_bias = false;
  bool has_lengths = false;
  bool has_initial_h = false;
  bool has_initial_c = false;
  bool has_peephole = false;

  static constexpr std::int64_t gates = 4;
  static constexpr auto name = "lstm";
  static constexpr auto summary = "long short-term memory";
  static constexpr auto formula =
      "i = f(κ(W_i·x + R_i·h + b_i + P_i⊙c)), f_t likewise, or 1 - i with input_forget, ĉ = g(κ(W_c·x + R_c·h + b_c)), "
      "c' = f_t⊙c + i⊙ĉ, o = f(κ(W_o·x + R_o·h + b_o + P_o⊙c')), h' = o⊙φ(κ(c')), y[t] = h', κ the clamp to ±clip; "
      "gates lie in the order i, o, f, c, peepholes i, o, f, and bias is (Wb, Rb); the second direction runs from the "
      "end; beyond a length y and c are 0, and h_n and c_n the last states before it";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[T, B, I]"},
                                        Input{"w", dtypes::R, "[D, 4H, I]", "x"},
                                        Input{"r", dtypes::R, "[D, 4H, H]", "x"},
                                        Input{"bias", dtypes::R, "[D, 8H]", "x", "has_bias"},
                                        Input{"lengths", dtypes::X, "[B]", {}, "has_lengths"},
                                        Input{"h0", dtypes::R, "[D, B, H]", "x", "has_initial_h"},
                                        Input{"c0", dtypes::R, "[D, B, H]", "x", "has_initial_c"},
                                        Input{"peephole", dtypes::R, "[D, 3H]", "x", "has_peephole"}};
  static constexpr std::array outputs = {Output{"y", "as x [T, D, B, H]"}, Output{"h_n", "as x [D, B, H]"},
                                         Output{"c_n", "as x [D, B, H]"},
                                         Output{"c", "as x [T, D, B, H], with cell_states"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "D must be 2 if bidirectional, else 1", "T, B, I, D and H must be the same everywhere, H at least 1",
      "clip must be more than 0"};
  static constexpr auto fields = std::tuple{
      Field{"direction", &Lstm::direction, "from the first step, from the last, or both"},
      Field{"gate_activation", &Lstm::gate_activation, "the function f"},
      Field{"cell_activation", &Lstm::cell_activation, "the function g"},
      Field{"hidden_activation", &Lstm::hidden_activation, "the function φ"},
      Field{"clip", &Lstm::clip, "operands of functions are clamped to ±clip; absent: they are not"},
      Field{"input_forget", &Lstm::input_forget, "what is let in is forgotten: no gate of its own is read for that"},
      Field{"cell_states", &Lstm::cell_states, "the cell of every step is an output, too"},
      Field{"has_bias", &Lstm::has_bias, "takes the input bias"},
      Field{"has_lengths", &Lstm::has_lengths, "takes the input lengths: steps of each sequence, all of them without"},
      Field{"has_initial_h", &Lstm::has_initial_h, "takes the input h0: the first state, 0 without"},
      Field{"has_initial_c", &Lstm::has_initial_c, "takes the input c0: the first cell, 0 without"},
      Field{"has_peephole", &Lstm::has_peephole, "takes the input peephole: gates see the cell"},
  };

  TensorTypes infer(Types in) const {
    const kernels::RecurrentExtents n = kernels::checked_recurrent_extents(*this, in);
    const ir::DType dtype = in[0].dtype;
    TensorTypes out = {{dtype, n.all_states()}, {dtype, n.states()}, {dtype, n.states()}};
    if (cell_states) out.push_back(out.front());
    return out;
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const { return kernels::recurrent_cost(kernels::recurrent_extents(*this, in)); }
  Loops loops(Types in, Types) const { return kernels::recurrent_loops(*this, in); }
  bool operator==(const Lstm&) const = default;
};

}  // namespace plumb::ir::ops
