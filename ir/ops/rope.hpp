#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Which of attention's operand orders x has: [batch, heads, sequence, depth] or
/// [batch, sequence, heads, depth].
enum class RopeLayout { bhsd, bshd };

constexpr auto enum_names(RopeLayout) { return std::array<std::string_view, 2>{"bhsd", "bshd"}; }

/// Rotary position embedding (ops.md 8, ONNX RotaryEmbedding-23).
///
///   t = positions[b, s], or offset + s, or (b, s) with tables of their own for every batch
///   first'  = first·c - second·s       c = cos[t, i]
///   second' = first·s + second·c       s = sin[t, i], negated when inverse
///
/// First and second are elements i and i + n/2 of a head, or 2i and 2i + 1 when
/// interleaved, n = rotary_dim. A position outside [0, P) is a fault of the run.
struct Rope {
  RopeLayout layout = RopeLayout::bhsd;
  bool interleaved = false;
  std::int64_t rotary_dim = 0;
  bool inverse = false;
  std::int64_t offset = 0;
  bool has_positions = false;

  static constexpr auto name = "rope";
  static constexpr auto summary = "rotary position embedding";
  static constexpr auto formula =
      "first' = first·c - second·s, second' = first·s + second·c, c = cos[t, i], s = ±sin[t, i]; others copied";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {
      Input{"x", dtypes::R, "[B, H, S, D] or [B, S, H, D]"},
      Input{"cos", dtypes::R, "[P, n/2] or [B, S, n/2]", "x"},
      Input{"sin", dtypes::R, "as cos", "x"},
      Input{"positions", dtypes::X, "[B, S] or [S]", {}, "has_positions"},
  };
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 6> checks = {
      "rotary_dim must be even and within D",
      "cos must be [P, n/2] or, without positions, [B, S, n/2]",
      "offset must be 0 or, for [P, n/2] without positions, leave S rows of the table",
      "x must have rank 4",
      "sin must have the shape of cos",
      "positions must be [B, S] or [S]"};
  static constexpr auto fields = std::tuple{
      Field{"layout", &Rope::layout, "order of x's axes"},
      Field{"interleaved", &Rope::interleaved, "pairs are (2i, 2i + 1) instead of (i, i + n/2)"},
      Field{"rotary_dim", &Rope::rotary_dim, "n, leading coordinates of a head that are rotated; 0: all"},
      Field{"inverse", &Rope::inverse, "rotate back"},
      Field{"offset", &Rope::offset, "table row of the first token"},
      Field{"has_positions", &Rope::has_positions, "positions give each token's table row"},
  };

  std::int64_t heads(const Shape& x) const { return x[layout == RopeLayout::bhsd ? 1 : 2]; }
  std::int64_t sequence(const Shape& x) const { return x[layout == RopeLayout::bhsd ? 2 : 1]; }
  /// n, the coordinates rotated of a head.
  std::int64_t rotated(const Shape& x) const { return rotary_dim == 0 ? x[3] : rotary_dim; }

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &cos = in[1].shape;
    check(*this, 4, x.rank() == 4, "x is ", in[0]);
    const auto n = rotated(x), s = sequence(x);
    check(*this, 1, 0 <= n && n <= x[3] && n % 2 == 0, "x is ", in[0], ", rotary_dim is ", rotary_dim);
    const bool shared = cos.rank() == 2 && cos[1] == n / 2;
    check(*this, 2, shared || (!has_positions && cos == Shape{x[0], s, n / 2}), "x is ", in[0], ", rotary_dim is ",
          rotary_dim, ", cos is ", in[1], has_positions ? ", with positions" : "");
    check(*this, 5, in[2].shape == cos, "cos is ", in[1], ", sin is ", in[2]);
    const bool counts = shared && !has_positions;
    check(*this, 3, counts ? 0 <= offset && offset <= cos[0] - s : offset == 0, "x is ", in[0], ", cos is ", in[1],
          ", offset is ", offset);
    if (has_positions) {
      const Shape& positions = in[3].shape;
      check(*this, 6, positions == Shape{s} || positions == Shape{x[0], s}, "x is ", in[0], ", positions are ", in[3]);
    }
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const {
    const Shape& x = in[0].shape;
    return {3.0 * static_cast<double>(x[0] * x[1] * x[2] * rotated(x)), 2};
  }
  Loops loops(Types in, Types) const {
    const std::size_t heads = layout == RopeLayout::bhsd ? 1 : 2;
    const Axis of_table = in[1].shape.size() == 3 ? Axis(0) : Axis();
    std::vector<Axis> batch = {of_table, of_table};
    if (has_positions) batch.push_back(in[3].shape.size() == 2 ? Axis(0) : Axis());
    return {.loops = {kernels::along(in, 0, batch), kernels::along(in, heads)},
            .operands = {kernels::linear_data,
                         {Role::factor},
                         {Role::factor},
                         {.role = Role::index, .low = 0, .high = in[1].shape[0]}}};
  }
  bool operator==(const Rope&) const = default;
};

}  // namespace plumb::ir::ops
