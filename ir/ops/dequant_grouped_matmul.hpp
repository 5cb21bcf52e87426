// Declares the product of rows and matrices of packed weights, of which each row takes the one that its index says.
#pragma once

#include "ir/ops/dequant_matmul.hpp"

namespace plumb::ir::ops {

/// grouped_matmul with the matrices of a packed bank, whose rows run along K (ops.md 12). Weights are what they are in
/// dequant_matmul: exact on every executor, so that the sum is all that rounds; codes x, too, are what they are there.
struct DequantGroupedMatmul {
  PackedFormat format = PackedFormat::q8_0;
  std::int64_t block_size = 0;
  bool has_scales = false, has_zero_points = false, has_x_scales = false, has_bias = false;
  WeightDtype weight_dtype = WeightDtype::f32;
  std::optional<DType> dtype = {};

  static constexpr auto name = "dequant_grouped_matmul";
  static constexpr auto summary = "product with packed weights, each row with those of its own expert";
  static constexpr auto formula =
      "y[i, n] = Σ_k x[i, k]·W[expert[i], n, k] + bias[expert[i], n], W the f32 values of dequantize rounded to "
      "weight_dtype; 0 where expert[i] is −1; codes x times x_scales[i, floor(k / 32)]";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      Input{"x", dtypes::R | DType::i8, "[M, K]"},
      Input{"codes", DType::u8 | DType::i8, "[E, N, row bytes]"},
      Input{"scales", dtypes::R | DType::u8, "[E, N, ceil(K / block_size)]", {}, "has_scales"},
      Input{"zero_points", dtypes::R, "as scales", "scales", "has_zero_points"},
      Input{"expert", dtypes::X, "[M]"},
      Input{"x_scales", DType::f32 | DType::f64, "[M, ceil(K / 32)]", {}, "has_x_scales"},
      Input{"bias", dtypes::R, "[E, N]", {}, "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "`dtype`, or as x or x_scales, [M, N]"}};
  static constexpr std::array<std::string_view, 9> checks = {
      "x must have rank 2, codes rank 3, and their rows one length",
      kernels::packed::operand_checks[0],
      kernels::packed::operand_checks[1],
      kernels::packed::operand_checks[2],
      kernels::packed::operand_checks[3],
      "expert must have an entry for each row of x",
      "bias must have one element for each row of codes, of x's dtype or, where x is codes, of that of results",
      "dtype must be f32 for f16 or bf16 x, a float where x is codes, else x's own",
      kernels::packed::x_scales_check};
  static constexpr auto fields = std::tuple{
      Field{"format", &DequantGroupedMatmul::format, "how codes are packed", Presence::required},
      Field{"block_size", &DequantGroupedMatmul::block_size,
            "elements that share a scale (int8 to uint4, fp8); 0: those of a row"},
      Field{"has_scales", &DequantGroupedMatmul::has_scales,
            "whether there are scales beside the codes, as the format has it"},
      Field{"has_zero_points", &DequantGroupedMatmul::has_zero_points, "whether there are zero points (int8 to uint4)"},
      Field{"has_x_scales", &DequantGroupedMatmul::has_x_scales,
            "whether x is codes, with a scale for each 32 of a row"},
      Field{"has_bias", &DequantGroupedMatmul::has_bias, "whether there is a bias"},
      Field{"weight_dtype", &DequantGroupedMatmul::weight_dtype, "what weights are rounded to"},
      Field{"dtype", &DequantGroupedMatmul::dtype,
            "dtype of y, by default that of x or x_scales; f32 keeps the f32 sum of 16-bit x unrounded"},
  };

  kernels::packed::Packing packing() const { return {format, block_size, has_scales, has_zero_points}; }
  /// The operands that make up the weights: codes, scales, zero points. `expert` is the one behind them.
  std::size_t packed_operands() const { return 1u + (has_scales ? 1 : 0) + (has_zero_points ? 1 : 0); }

  /// Which operand x_scales is, where there are such.
  std::size_t x_scales() const { return 2 + packed_operands(); }

  TensorTypes infer(Types in) const {
    kernels::packed::check_operands(*this, 2, packing(), in.subspan(1, packed_operands()));
    const Shape &x = in[0].shape, &codes = in[1].shape;
    check(*this, 1, x.rank() == 2 && codes.rank() == 3 && kernels::packed::row_elements(format, codes) == x[1], "x is ",
          in[0], ", codes are ", in[1]);
    const TensorType& expert = in[1 + packed_operands()];
    check(*this, 6, expert.shape == Shape{x[0]}, "x is ", in[0], ", expert is ", expert);
    const TensorType* const scales = has_x_scales ? &in[x_scales()] : nullptr;
    const DType own = in[0].dtype, out = dtype.value_or(has_x_scales ? scales->dtype : own);
    kernels::packed::check_x_scales(*this, 9, in[0], scales, out);
    const bool is_bias = has_bias && in.back().dtype == (has_x_scales ? out : own);
    check(*this, 7, !has_bias || (is_bias && in.back().shape == Shape{codes[0], codes[1]}), "codes are ", in[1],
          ", bias is ", in.back());
    check(*this, 8, has_x_scales ? is_float(out) : out == own || (out == DType::f32 && info(own).bytes == 2), "x is ",
          in[0], ", dtype is ", out);
    return {{out, {x[0], codes[1]}}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const std::int64_t k = in[0].shape[1];
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types) const {
    const std::size_t expert = 1 + packed_operands();
    Loops made{.operands = {kernels::linear_data}, .rounds = "weights are no whole numbers"};
    made.operands.resize(in.size(), {.role = Role::parameter});
    if (has_x_scales) made.operands[0] = {.role = Role::data};
    made.operands[expert] = {.role = Role::index, .low = -1, .high = in[1].shape[0]};
    if (has_bias) made.operands.back() = {.role = Role::addend};
    Loop rows = kernels::along(in, 0), columns{.out = 1, .in = std::vector<Axis>(in.size(), 1)};
    rows.in[expert] = 0;
    if (has_x_scales) rows.in[x_scales()] = 0;
    columns.in[0] = columns.in[expert] = Axis();
    if (has_x_scales) columns.in[x_scales()] = Axis();
    made.loops = {std::move(rows), std::move(columns), kernels::taps({1})};  // weights of a row lie in blocks
    return made;
  }
  bool operator==(const DequantGroupedMatmul&) const = default;
};

}  // namespace plumb::ir::ops
