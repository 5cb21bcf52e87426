// Declares linear attention with decay and delta rule: keys and values in a matrix for every head.
#pragma once

#include <cmath>

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/scan_states.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Linear attention with decay and delta rule (ops.md 11, ONNX LinearAttention-27; Yang et al., "Gated delta networks",
/// 2024). The flags make four rules of it: linear (neither), gated (decay), delta (beta), gated delta. Keys are not
/// normalised here.
struct GatedDeltaNet {
  std::optional<double> scale = std::nullopt;
  bool has_decay = true, has_beta = true, has_state = false;
  std::optional<DType> state_dtype = std::nullopt;
  std::int64_t state_every = 0;

  static constexpr auto name = "gated_delta_net";
  static constexpr auto summary = "linear attention with decay and delta rule";
  static constexpr auto formula =
      "S′ = diag(exp(decay))·S; δ = beta·(v − S′ᵀk), or v without beta; S ← S′ + k⊗δ; o = scale·Sᵀq, step after step, "
      "from `state` or 0 on; query head g reads the state of head floor(g/(Hq/H)). From the first step at which a NaN "
      "or an infinity enters a batch's head nothing is said of its values";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      Input{"q", dtypes::R, "[B, L, Hq, dk]"},
      Input{"k", dtypes::R, "[B, L, H, dk]", "q"},
      Input{"v", dtypes::R, "[B, L, H, dv]", "q"},
      Input{"decay", dtypes::R, "[B, L, H] or [B, L, H, dk]: logarithms of factors", "q", "has_decay"},
      Input{"beta", dtypes::R, "[B, L, H]", "q", "has_beta"},
      Input{"state", dtypes::R, "[B, H, dk, dv]", {}, "has_state"}};
  static constexpr std::array outputs = {
      Output{"o", "as q [B, L, Hq, dv]"}, Output{"state", "`state_dtype` [B, H, dk, dv]"},
      Output{"states", "with `state_every` = k >= 1: `state_dtype` [floor(L/k), B, H, dk, dv], after steps k, 2k, …"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "H must divide Hq",
      "q must be [B, L, Hq, dk], k [B, L, H, dk], v [B, L, H, dv], decay [B, L, H] or [B, L, H, dk], beta [B, L, H] "
      "and state [B, H, dk, dv]",
      "state_every must be at least 0, and state_dtype one of real numbers"};
  static constexpr auto fields = std::tuple{
      Field{"scale", &GatedDeltaNet::scale, "factor of o; 1/√dk when absent"},
      Field{"has_decay", &GatedDeltaNet::has_decay, "takes the input decay; without it nothing decays"},
      Field{"has_beta", &GatedDeltaNet::has_beta, "takes the input beta: the delta rule; without it values are added"},
      Field{"has_state", &GatedDeltaNet::has_state, "takes the input state; 0 without it"},
      Field{"state_dtype", &GatedDeltaNet::state_dtype, "dtype of the states given; that of state, else of q"},
      Field{"state_every", &GatedDeltaNet::state_every, "gives the state after so many steps, again and again"},
  };

  /// The extents of a node, by the names above.
  struct Extents {
    std::int64_t B, L, Hq, H, dk, dv;
  };
  static Extents extents(Types in) {
    const Shape &q = in[0].shape, &v = in[2].shape;
    return {q[0], q[1], q[2], in[1].shape[2], q[3], v[3]};
  }
  /// Operands by their number; of those that are absent it says nothing.
  std::size_t decay_operand() const { return 3; }
  std::size_t beta_operand() const { return has_decay ? 4 : 3; }
  /// Whether decays have an entry for each row of a state.
  bool decays_rows(Types in) const { return has_decay && in[decay_operand()].shape.rank() == 4; }
  double factor(Types in) const {
    return scale.value_or(1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, extents(in).dk))));
  }

  /// States of a node on these operands.
  kernels::ScanStates states(Types in) const {
    const Extents e = extents(in);
    return {{kernels::dtype_of_states(state_dtype, has_state, in), {e.B, e.H, e.dk, e.dv}}, e.L, state_every};
  }
  DType computed(Types in) const { return kernels::computed_by_scan(in, states(in).state.dtype); }

  TensorTypes infer(Types in) const {
    const auto agree = [&](bool holds) {
      check(*this, 2, holds, "q is ", in[0], ", k ", in[1], ", v ", in[2],
            has_decay ? cat(", decay ", in[decay_operand()]) : "", has_beta ? cat(", beta ", in[beta_operand()]) : "",
            has_state ? cat(", state ", in.back()) : "");
    };
    agree(in[0].shape.rank() == 4 && in[1].shape.rank() == 4 && in[2].shape.rank() == 4);
    const Extents e = extents(in);
    const Shape by_head{e.B, e.L, e.H}, by_row{e.B, e.L, e.H, e.dk};
    agree(in[1].shape == by_row && in[2].shape == Shape{e.B, e.L, e.H, e.dv});
    agree(!has_decay || in[decay_operand()].shape == by_head || in[decay_operand()].shape == by_row);
    agree(!has_beta || in[beta_operand()].shape == by_head);
    agree(!has_state || in.back().shape == Shape{e.B, e.H, e.dk, e.dv});
    check(*this, 1, e.H == 0 ? e.Hq == 0 : e.Hq % e.H == 0, "Hq is ", e.Hq, ", H is ", e.H);
    check(*this, 3, state_every >= 0 && (!state_dtype || is_float(*state_dtype)), "state_every is ", state_every,
          state_dtype ? cat(", state_dtype ", *state_dtype) : "");
    return states(in).outputs({in[0].dtype, {e.B, e.L, e.Hq, e.dv}});
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const Extents e = extents(in);
    const double of_states = static_cast<double>(e.B * e.L * e.H) * static_cast<double>(e.dk * e.dv);
    const double of_queries = static_cast<double>(e.B * e.L * e.Hq) * static_cast<double>(e.dk * e.dv);
    return {(has_decay + 2.0 * has_beta + 2.0) * of_states + 2 * of_queries, e.dk};
  }
  Loops loops(Types in, Types) const {
    Loops made{.rounds = kernels::partial_products};
    if (has_decay) made.rounds = "factors of states are exponentials";
    Loop batches{.out = 0, .in = std::vector<Axis>(in.size(), 0)};
    Loop keys = kernels::summed({3, 3, Axis()});
    for (const TensorType& x : in.subspan(3)) keys.in.push_back(x.shape.size() == 4 ? Axis(3) : Axis());
    if (has_state) keys.in.back() = 2;
    made.loops = {batches, keys};
    return made;
  }
  bool operator==(const GatedDeltaNet&) const = default;
};

}  // namespace plumb::ir::ops
