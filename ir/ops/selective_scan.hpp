// Declares the recurrence of Mamba-1: a state for every channel, decayed by a factor of its own at every step.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/scan_states.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The recurrence of Mamba-1 (ops.md 11; Gu and Dao, "Mamba: linear-time sequence modeling with selective state
/// spaces", algorithm 2). delta is used as it is given: softplus and bias are outside.
struct SelectiveScan {
  bool has_skip = false, has_state = false;
  std::optional<DType> state_dtype = std::nullopt;
  std::int64_t state_every = 0;

  static constexpr auto name = "selective_scan";
  static constexpr auto summary = "a state for every channel, with factors that depend on the step (Mamba)";
  static constexpr auto formula =
      "h ← exp(delta·a)·h + (delta·x)·b; y = Σ_n c_n·h_n + d·x, step after step, from `state` or 0 on. From the first "
      "step at which a NaN or an infinity enters a batch's channel nothing is said of its values";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[B, L, C]"},
                                        Input{"delta", dtypes::R, "[B, L, C]", "x"},
                                        Input{"a", dtypes::R, "[C, n]", "x"},
                                        Input{"b", dtypes::R, "[B, L, n]", "x"},
                                        Input{"c", dtypes::R, "[B, L, n]", "x"},
                                        Input{"d", dtypes::R, "[C]", "x", "has_skip"},
                                        Input{"state", dtypes::R, "[B, C, n]", {}, "has_state"}};
  static constexpr std::array outputs = {
      Output{"y", "as x"}, Output{"state", "`state_dtype` [B, C, n]"},
      Output{"states", "with `state_every` = k >= 1: `state_dtype` [floor(L/k), B, C, n], after steps k, 2k, …"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "x and delta must be [B, L, C], a [C, n], b and c [B, L, n], d [C] and state [B, C, n]", "n must be at least 1",
      "state_every must be at least 0, and state_dtype one of real numbers"};
  static constexpr auto fields = std::tuple{
      Field{"has_skip", &SelectiveScan::has_skip, "takes the input d"},
      Field{"has_state", &SelectiveScan::has_state, "takes the input state; 0 without it"},
      Field{"state_dtype", &SelectiveScan::state_dtype, "dtype of the states given; that of state, else of x"},
      Field{"state_every", &SelectiveScan::state_every, "gives the state after so many steps, again and again"},
  };

  /// The extents of a node, by the names above.
  struct Extents {
    std::int64_t B, L, C, n;
  };
  static Extents extents(Types in) { return {in[0].shape[0], in[0].shape[1], in[0].shape[2], in[2].shape[1]}; }

  /// The scan that a node on these operands computes.
  kernels::DecayedScan scan(Types in) const {
    const Extents e = extents(in);
    const DType dtype = kernels::dtype_of_states(state_dtype, has_state, in);
    return {.batches = e.B,
            .steps = e.L,
            .heads = e.C,
            .size = e.n,
            .differs_by_state = true,
            .has_skip = has_skip,
            .has_state = has_state,
            .states = {{dtype, {e.B, e.C, e.n}}, e.L, state_every},
            .computed = kernels::computed_by_scan(in, dtype)};
  }

  TensorTypes infer(Types in) const {
    const auto agree = [&](bool holds) {
      check(*this, 1, holds, "x is ", in[0], ", delta ", in[1], ", a ", in[2], ", b ", in[3], ", c ", in[4],
            has_skip ? cat(", d ", in[5]) : "", has_state ? cat(", state ", in.back()) : "");
    };
    agree(in[0].shape.rank() == 3 && in[2].shape.rank() == 2);
    const Extents e = extents(in);
    agree(in[1].shape == in[0].shape && in[2].shape[0] == e.C);
    agree(in[3].shape == Shape{e.B, e.L, e.n} && in[4].shape == in[3].shape);
    agree(!has_skip || in[5].shape == Shape{e.C});
    agree(!has_state || in.back().shape == Shape{e.B, e.C, e.n});
    check(*this, 2, e.n >= 1, "a is ", in[2]);
    check(*this, 3, state_every >= 0 && (!state_dtype || is_float(*state_dtype)), "state_every is ", state_every,
          state_dtype ? cat(", state_dtype ", *state_dtype) : "");
    return scan(in).states.outputs(in[0]);
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const Extents e = extents(in);
    const double elements = static_cast<double>(e.B) * static_cast<double>(e.L) * static_cast<double>(e.C);
    return {elements * (7 * static_cast<double>(e.n) + 3), e.n};
  }
  Loops loops(Types in, Types) const {
    std::vector<Axis> batches, states;
    for (const TensorType& x : in) batches.push_back(x.shape.size() <= 2 ? Axis() : Axis(0));
    states = {Axis(), Axis(), 1, 2, 2};
    states.resize(in.size());
    if (has_state) states.back() = 2;
    return {.loops = {{.out = 0, .in = std::move(batches)}, kernels::summed(std::move(states))},
            .rounds = "factors of states are exponentials"};
  }
  bool operator==(const SelectiveScan&) const = default;
};

}  // namespace plumb::ir::ops
