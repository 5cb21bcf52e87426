// Declares the recurrence of Mamba-2: a matrix for every head, decayed by one factor at every step.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/scan_states.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The recurrence of Mamba-2 (ops.md 11; Dao and Gu, "Transformers are SSMs", section 6). dt is used as it is given:
/// softplus, bias and limits are outside.
struct Mamba2 {
  bool has_skip = false, has_state = false;
  std::optional<DType> state_dtype = std::nullopt;
  std::int64_t state_every = 0;

  static constexpr auto name = "mamba2";
  static constexpr auto summary = "a matrix for every head, with one factor for each step (Mamba-2)";
  static constexpr auto formula =
      "S ← exp(dt·a)·S + dt·x⊗b; y_p = Σ_n S_pn·c_n + d·x_p, step after step, from `state` or 0 on; head h reads b and "
      "c of group floor(h/(H/G)). From the first step at which a NaN or an infinity enters a batch's head nothing is "
      "said of its values";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[B, L, H, P]"},
                                        Input{"dt", dtypes::R, "[B, L, H]", "x"},
                                        Input{"a", dtypes::R, "[H]", "x"},
                                        Input{"b", dtypes::R, "[B, L, G, n]", "x"},
                                        Input{"c", dtypes::R, "[B, L, G, n]", "x"},
                                        Input{"d", dtypes::R, "[H]", "x", "has_skip"},
                                        Input{"state", dtypes::R, "[B, H, P, n]", {}, "has_state"}};
  static constexpr std::array outputs = {
      Output{"y", "as x"}, Output{"state", "`state_dtype` [B, H, P, n]"},
      Output{"states", "with `state_every` = k >= 1: `state_dtype` [floor(L/k), B, H, P, n], after steps k, 2k, …"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "G must divide H",
      "x must be [B, L, H, P], dt [B, L, H], a [H], b and c [B, L, G, n], d [H] and state [B, H, P, n], n and P at "
      "least 1",
      "state_every must be at least 0, and state_dtype one of real numbers"};
  static constexpr auto fields = std::tuple{
      Field{"has_skip", &Mamba2::has_skip, "takes the input d"},
      Field{"has_state", &Mamba2::has_state, "takes the input state; 0 without it"},
      Field{"state_dtype", &Mamba2::state_dtype, "dtype of the states given; that of state, else of x"},
      Field{"state_every", &Mamba2::state_every, "gives the state after so many steps, again and again"},
  };

  /// The extents of a node, by the names above.
  struct Extents {
    std::int64_t B, L, H, P, G, n;
  };
  static Extents extents(Types in) {
    const Shape &x = in[0].shape, &b = in[3].shape;
    return {x[0], x[1], x[2], x[3], b[2], b[3]};
  }

  /// The scan that a node on these operands computes.
  kernels::DecayedScan scan(Types in) const {
    const Extents e = extents(in);
    const DType dtype = kernels::dtype_of_states(state_dtype, has_state, in);
    return {.batches = e.B,
            .steps = e.L,
            .heads = e.H,
            .rows = e.P,
            .groups = e.G,
            .size = e.n,
            .has_skip = has_skip,
            .has_state = has_state,
            .states = {{dtype, {e.B, e.H, e.P, e.n}}, e.L, state_every},
            .computed = kernels::computed_by_scan(in, dtype)};
  }

  TensorTypes infer(Types in) const {
    const auto agree = [&](bool holds) {
      check(*this, 2, holds, "x is ", in[0], ", dt ", in[1], ", a ", in[2], ", b ", in[3], ", c ", in[4],
            has_skip ? cat(", d ", in[5]) : "", has_state ? cat(", state ", in.back()) : "");
    };
    agree(in[0].shape.rank() == 4 && in[3].shape.rank() == 4);
    const Extents e = extents(in);
    agree(e.P >= 1 && e.n >= 1 && in[1].shape == Shape{e.B, e.L, e.H} && in[2].shape == Shape{e.H});
    agree(in[3].shape == Shape{e.B, e.L, e.G, e.n} && in[4].shape == in[3].shape);
    agree(!has_skip || in[5].shape == Shape{e.H});
    agree(!has_state || in.back().shape == Shape{e.B, e.H, e.P, e.n});
    check(*this, 1, e.G == 0 ? e.H == 0 : e.H % e.G == 0, "H is ", e.H, ", G is ", e.G);
    check(*this, 3, state_every >= 0 && (!state_dtype || is_float(*state_dtype)), "state_every is ", state_every,
          state_dtype ? cat(", state_dtype ", *state_dtype) : "");
    return scan(in).states.outputs(in[0]);
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const Extents e = extents(in);
    const double rows = static_cast<double>(e.B * e.L * e.H) * static_cast<double>(e.P);
    return {rows * (5 * static_cast<double>(e.n) + 3), e.n};
  }
  Loops loops(Types in, Types) const {
    std::vector<Axis> batches, states;
    for (const TensorType& x : in) batches.push_back(x.shape.size() <= 2 ? Axis() : Axis(0));
    states = {Axis(), Axis(), Axis(), 3, 3};
    states.resize(in.size());
    if (has_state) states.back() = 3;
    return {.loops = {{.out = 0, .in = std::move(batches)}, kernels::summed(std::move(states))},
            .rounds = "factors of states are exponentials"};
  }
  bool operator==(const Mamba2&) const = default;
};

}  // namespace plumb::ir::ops
