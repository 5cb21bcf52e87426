// Declares scaled dot-product attention: masks, bias, windows, softcap, grouped heads, lengths of keys and sinks.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class AttentionLayout { bhsd, bshd };

constexpr auto enum_names(AttentionLayout) { return std::array<std::string_view, 2>{"bhsd", "bshd"}; }

/// Scaled dot-product attention (ops.md 8).
struct Attention {
  AttentionLayout layout = AttentionLayout::bhsd;
  std::optional<double> scale = std::nullopt;
  double softcap = 0;
  bool causal = false;
  std::int64_t left_window_size = -1;
  std::int64_t right_window_size = -1;
  std::optional<std::int64_t> query_offset = std::nullopt;
  bool has_mask = false;
  bool has_bias = false;
  bool has_kv_lengths = false;
  bool has_sinks = false;

  static constexpr auto name = "attention";
  static constexpr auto summary = "scaled dot-product attention";
  static constexpr auto formula =
      "s_ij = scale·Σ_d q_id·k_jd, softcap c > 0: c·tanh(s_ij/c), plus bias_ij; y_i = Σ_j softmax_j(s_ij)·v_j over the "
      "allowed j, 0 when none is; a sink is one more score of every query of its head, whose value is 0. With p_i = "
      "query_offset + i, or len - Sq + i without it, j is allowed when j < len, "
      "j <= p_i if causal, p_i - left <= j <= p_i + right for windows >= 0, mask_ij, and bias_ij is not -inf. A key "
      "that is not allowed has no influence, NaN or not";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"q", dtypes::R, "[B, Hq, Sq, D]"},
                                        Input{"k", dtypes::R, "[B, Hk, Sk, D]"},
                                        Input{"v", dtypes::R, "[B, Hk, Sk, Dv]", "k"},
                                        Input{"mask", dtypes::B, "broadcasts to [B, Hq, Sq, Sk]", {}, "has_mask"},
                                        Input{"bias", dtypes::R, "broadcasts to [B, Hq, Sq, Sk]", "q", "has_bias"},
                                        Input{"kv_lengths", dtypes::X, "[B]", {}, "has_kv_lengths"},
                                        Input{"sinks", dtypes::R, "[Hq]", "q", "has_sinks"}};
  static constexpr std::array outputs = {Output{"y", "as q [B, Hq, Sq, Dv]"}};
  static constexpr std::array<std::string_view, 8> checks = {
      "q, k and v must have rank 4",
      "B must be equal in q, k, v and kv_lengths, D in q and k, Hk and Sk in k and v",
      "Hk must be at least 1 and divide Hq",
      "mask and bias must broadcast to [B, Hq, Sq, Sk]",
      "softcap must be at least 0 and windows at least -1",
      "D must be at least 1",
      "sinks must be one number for each head of q",
      "k and v must have the dtype of q, or be f16 or bf16 where q is f32"};
  static constexpr auto fields = std::tuple{
      Field{"layout", &Attention::layout, "order of the axes of q, k, v and y; bshd is [B, S, H, D]"},
      Field{"scale", &Attention::scale, "factor of the scores; 1/√D when absent"},
      Field{"softcap", &Attention::softcap, "scores saturate at ±softcap; 0 is off"},
      Field{"causal", &Attention::causal, "a query sees no later key"},
      Field{"left_window_size", &Attention::left_window_size, "earlier keys a query sees besides its own; -1 for all"},
      Field{"right_window_size", &Attention::right_window_size, "later keys a query sees; -1 for all"},
      Field{"query_offset", &Attention::query_offset,
            "position of the first query; when absent the last meets the last key"},
      Field{"has_mask", &Attention::has_mask, "takes the input mask: true takes part"},
      Field{"has_bias", &Attention::has_bias, "takes the input bias, added to the scores"},
      Field{"has_kv_lengths", &Attention::has_kv_lengths,
            "takes the input kv_lengths: keys in use, clamped to [0, Sk]"},
      Field{"has_sinks", &Attention::has_sinks, "takes the input sinks: a score beside those of the keys, by head"},
  };

  /// The extents of a node, by the names above.
  struct Extents {
    std::int64_t B, Hq, Hk, Sq, Sk, D, Dv;
  };

  /// Reads the extents from q, k and v of rank 4.
  Extents extents(const Shape& q, const Shape& k, const Shape& v) const {
    const std::size_t heads = layout == AttentionLayout::bhsd ? 1 : 2, length = 3 - heads;
    return {q[0], q[heads], k[heads], q[length], k[length], q[3], v[3]};
  }

  /// Which operands the optional ones are that stand behind q, k and v, where the node has them.
  std::size_t bias_at() const { return 3 + std::size_t{has_mask}; }
  std::size_t lengths_at() const { return bias_at() + std::size_t{has_bias}; }
  std::size_t sinks_at() const { return lengths_at() + std::size_t{has_kv_lengths}; }

  TensorTypes infer(Types in) const {
    const TensorType &q = in[0], &k = in[1], &v = in[2];
    check(*this, 1, q.shape.rank() == 4 && k.shape.rank() == 4 && v.shape.rank() == 4, "q is ", q, ", k is ", k,
          ", v is ", v);
    const Extents n = extents(q.shape, k.shape, v.shape);
    const bool same_batch = k.shape[0] == n.B && v.shape[0] == n.B;
    const bool same_keys = k.shape[1] == v.shape[1] && k.shape[2] == v.shape[2];
    check(*this, 2, same_batch && same_keys && k.shape[3] == n.D, "q is ", q, ", k is ", k, ", v is ", v);
    if (has_kv_lengths) {
      const TensorType& lengths = in[lengths_at()];
      check(*this, 2, lengths.shape == Shape{n.B}, "q is ", q, ", kv_lengths is ", lengths);
    }
    check(*this, 3, n.Hk >= 1 && n.Hq % n.Hk == 0, "Hq is ", n.Hq, ", Hk is ", n.Hk);
    const Shape scores{n.B, n.Hq, n.Sq, n.Sk};
    for (const TensorType& added : in.subspan(3, lengths_at() - 3))
      check(*this, 4, broadcasts_to(added.shape, scores), "got ", added, ", scores are ", scores);
    check(*this, 5, softcap >= 0 && left_window_size >= -1 && right_window_size >= -1, "softcap is ", softcap,
          ", windows are ", left_window_size, " and ", right_window_size);
    check(*this, 6, n.D >= 1, "q is ", q);
    if (has_sinks) check(*this, 7, in[sinks_at()].shape == Shape{n.Hq}, "q is ", q, ", sinks are ", in[sinks_at()]);
    const bool is_narrow = k.dtype == DType::f16 || k.dtype == DType::bf16;
    check(*this, 8, k.dtype == q.dtype || (q.dtype == DType::f32 && is_narrow), "q is ", q, ", k is ", k);
    Shape y = q.shape;
    y[3] = n.Dv;
    return {{q.dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const Extents n = extents(in[0].shape, in[1].shape, in[2].shape);
    double scores = 1;
    for (const std::int64_t extent : {n.B, n.Hq, n.Sq, n.Sk}) scores *= static_cast<double>(extent);
    return {scores * (2.0 * static_cast<double>(n.D) + 2.0 * static_cast<double>(n.Dv) + 4.0), n.Sk};
  }
  Loops loops(Types in, Types) const {
    const std::size_t heads = layout == AttentionLayout::bhsd ? 1 : 2, length = 3 - heads;
    const bool positions_count = causal || left_window_size >= 0 || right_window_size >= 0;
    // The axes of q, k and v, that of scores [B, Hq, Sq, Sk], to which mask and bias broadcast, and that of lengths. Of
    // these loops only that over heads runs over sinks.
    const auto loop = [&](Axis y, std::vector<Axis> qkv, Axis scores, Axis lengths = {}) {
      Loop made = y ? Loop{.out = y, .in = std::move(qkv)} : kernels::summed(std::move(qkv));
      for (const TensorType& x : in.subspan(3, lengths_at() - 3))
        made.in.push_back(scores ? kernels::broadcast_axis(x.shape, *scores, 4) : Axis());
      if (has_kv_lengths) made.in.push_back(lengths);
      if (has_sinks) made.in.push_back(scores == Axis(1) ? Axis(0) : Axis());
      return made;
    };
    Loops made{.loops = {loop(0, {0, 0, 0}, 0, 0), loop(3, {Axis(), Axis(), 3}, {}), loop({}, {3, 3, Axis()}, {})},
               .operands = {{Role::query}, {Role::key}, {Role::value, Degree::linear}},
               .rounds = "exponentials and a division are rounded",
               .score_scale = scale.value_or(1 / std::sqrt(static_cast<double>(in[0].shape[3])))};
    if (in[0].shape[heads] == in[1].shape[heads]) made.loops.push_back(loop(heads, {heads, heads, heads}, 1));
    made.loops.push_back(loop(length, {length, Axis(), Axis()}, 2));
    if (positions_count) made.loops.back().steps = StepOrder::ordered;
    made.loops.push_back(loop({}, {Axis(), length, length}, 3));
    if (positions_count || has_kv_lengths) made.loops.back().steps = StepOrder::ordered;
    if (has_mask) made.operands.push_back({Role::parameter});
    if (has_bias) made.operands.push_back({Role::score});
    if (has_kv_lengths) made.operands.push_back({.role = Role::index, .low = 0, .high = in[1].shape[length] + 1});
    if (has_sinks) made.operands.push_back({Role::score});
    return made;
  }
  bool operator==(const Attention&) const = default;
};

}  // namespace plumb::ir::ops
