// Declares the draw of a token from every row of logits.
#pragma once

#include <cmath>

#include "ir/loops.hpp"

namespace plumb::ir::ops {

/// A token drawn from every row of logits, with the words of a counter (ops.md 13, ops.md B.4): equal wherever and in
/// whatever order rows are drawn, but for what exp and the division round.
///
///   in      logits: [.., V] for V tokens; offset: counts streams on, 0 without it
///   out     tokens: [..], the token of every row
///   errors  a NaN among logits, or a row of which all are -inf, when the node runs; none with temperature 0, which
///           takes the first of the largest
///
/// A row is drawn with the block of its row-major number, so that it does not depend on other rows.
struct Sample {
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1, min_p = 0;
  std::int64_t seed = 0, stream = 0;
  DType index_dtype = DType::i64;
  bool has_offset = false;

  static constexpr std::int64_t most_tokens = std::int64_t{1} << 24;

  static constexpr auto name = "sample";
  static constexpr auto summary = "draw of a token from every row of logits";
  static constexpr auto formula =
      "z = logits/temperature, W = ⌊2³⁰·exp(z − max z)⌋ of the top_k largest z, without W < ⌊2³⁰·min_p⌋, then of the "
      "shortest beginning of their ranking with ΣW >= ⌊T·top_p⌋; T its sum, r = ⌊w·T/2⁶⁴⌋, w two words of Philox at "
      "block row: the first token, by index, up to which ΣW > r. Temperature 0: the first of the largest";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"logits", dtypes::R, "[.., V]"},
                                        Input{"offset", DType::u32, "[]", {}, "has_offset"}};
  static constexpr std::array outputs = {Output{"tokens", "`index_dtype` [..]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "logits must have an axis of at least 1 and at most 2^24 tokens",
      "temperature must be at least 0 and finite, top_k at least 0, top_p above 0 and at most 1, min_p from 0 to 1",
      "stream must be at least 0 and below 2^32", "offset must be one number", "index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"temperature", &Sample::temperature, "what logits are divided by; 0 draws nothing"},
      Field{"top_k", &Sample::top_k, "how many of the likeliest tokens are kept; 0 keeps all"},
      Field{"top_p", &Sample::top_p, "the share of the weight that the likeliest tokens kept have; 1 keeps all"},
      Field{"min_p", &Sample::min_p, "the weight, over that of the likeliest, below which no token is kept"},
      Field{"seed", &Sample::seed, "the key, as 64 bits"},
      Field{"stream", &Sample::stream, "which of 2^32 independent streams of the seed"},
      Field{"index_dtype", &Sample::index_dtype, "dtype of tokens"},
      Field{"has_offset", &Sample::has_offset, "whether there is an operand that counts streams on; 0 without it"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() >= 1 && 1 <= x.back() && x.back() <= most_tokens, "logits are ", in[0]);
    const double divisor = real(in[0].dtype, temperature);
    check(*this, 2, divisor >= 0 && std::isfinite(divisor) && top_k >= 0, "temperature is ", temperature, ", top_k is ",
          top_k);
    check(*this, 2, top_p > 0 && top_p <= 1 && min_p >= 0 && min_p <= 1, "top_p is ", top_p, ", min_p is ", min_p);
    check(*this, 3, stream >= 0 && stream < std::int64_t{1} << 32, "stream is ", stream);
    check(*this, 4, in.size() == 1 || in[1].shape.rank() == 0, "offset is ", in.back());
    check(*this, 5, dtypes::X.contains(index_dtype), "got ", index_dtype);
    Shape y = x;
    y.pop_back();
    return {{index_dtype, y}};
  }

  /// A real attribute as the op computes with it (ops.md 1.3).
  static double real(DType dtype, double attribute) {
    return dtype == DType::f64 ? attribute : static_cast<double>(static_cast<float>(attribute));
  }
  /// Tokens of a smaller weight are dropped.
  std::uint32_t least_weight(DType dtype) const {
    return static_cast<std::uint32_t>(std::floor(real(dtype, min_p) * 0x1p30));
  }
  /// The share of the weight that is kept, in 2^-24.
  std::uint32_t kept_share(DType dtype) const {
    return static_cast<std::uint32_t>(std::nearbyint(real(dtype, top_p) * 0x1p24));
  }

  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), 0}; }
  Loops loops(Types, Types) const { return {.rounds = "exponentials are rounded"}; }
  bool operator==(const Sample&) const = default;
};

}  // namespace plumb::ir::ops
