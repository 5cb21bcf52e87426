// Declares products with packed weights.
#pragma once

#include "ir/ops/dequantize.hpp"

namespace plumb::ir::ops {

using WeightDtype = kernels::packed::WeightDtype;

/// x times the transpose of packed weights, whose rows run along K (ops.md 12). A weight is its f32 value (ops.md A):
/// of formats with real scales a difference and a product, each rounded to f32, of scales and zero points rounded to
/// f32. It is exact on every executor, so that the sum is all that rounds. x may be codes, each of which stands for its
/// exact product with the scale of its block of 32.
struct DequantMatmul {
  PackedFormat format = PackedFormat::q8_0;
  std::int64_t block_size = 0;
  bool has_scales = false, has_zero_points = false, has_x_scales = false, has_bias = false;
  WeightDtype weight_dtype = WeightDtype::f32;
  std::optional<DType> dtype = {};

  static constexpr auto name = "dequant_matmul";
  static constexpr auto summary = "product with packed weights";
  static constexpr auto formula =
      "y[.., n] = Σ_k x[.., k]·W[n, k] + bias[n], W the f32 values of dequantize rounded to weight_dtype; codes x "
      "times x_scales[.., floor(k / 32)]";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      Input{"x", dtypes::R | DType::i8, "[.., K]"},
      Input{"codes", DType::u8 | DType::i8, "[N, row bytes]"},
      Input{"scales", dtypes::R | DType::u8, "[N, ceil(K / block_size)]", {}, "has_scales"},
      Input{"zero_points", dtypes::R, "as scales", "scales", "has_zero_points"},
      Input{"x_scales", DType::f32 | DType::f64, "[.., ceil(K / 32)]", {}, "has_x_scales"},
      Input{"bias", dtypes::R, "[N]", {}, "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "`dtype`, or as x or x_scales, [.., N]"}};
  static constexpr std::array<std::string_view, 8> checks = {
      "x must have an axis, codes two, and their rows one length",
      kernels::packed::operand_checks[0],
      kernels::packed::operand_checks[1],
      kernels::packed::operand_checks[2],
      kernels::packed::operand_checks[3],
      "bias must have one element for each row of codes, of x's dtype or, where x is codes, of that of results",
      "dtype must be f32 for f16 or bf16 x, a float where x is codes, else x's own",
      kernels::packed::x_scales_check};
  static constexpr auto fields = std::tuple{
      Field{"format", &DequantMatmul::format, "how codes are packed", Presence::required},
      Field{"block_size", &DequantMatmul::block_size,
            "elements that share a scale (int8 to uint4, fp8); 0: those of a row"},
      Field{"has_scales", &DequantMatmul::has_scales,
            "whether there are scales beside the codes, as the format has it"},
      Field{"has_zero_points", &DequantMatmul::has_zero_points, "whether there are zero points (int8 to uint4)"},
      Field{"has_x_scales", &DequantMatmul::has_x_scales, "whether x is codes, with a scale for each 32 of a row"},
      Field{"has_bias", &DequantMatmul::has_bias, "whether there is a bias"},
      Field{"weight_dtype", &DequantMatmul::weight_dtype, "what weights are rounded to"},
      Field{"dtype", &DequantMatmul::dtype,
            "dtype of y, by default that of x or x_scales; f32 keeps the f32 sum of 16-bit x unrounded"},
  };

  kernels::packed::Packing packing() const { return {format, block_size, has_scales, has_zero_points}; }
  /// The operands that make up the weights: codes, scales, zero points.
  std::size_t packed_operands() const { return 1u + (has_scales ? 1 : 0) + (has_zero_points ? 1 : 0); }

  /// Which operand x_scales is, where there are such.
  std::size_t x_scales() const { return 1 + packed_operands(); }

  TensorTypes infer(Types in) const {
    kernels::packed::check_operands(*this, 2, packing(), in.subspan(1, packed_operands()));
    const Shape &x = in[0].shape, &codes = in[1].shape;
    check(*this, 1, !x.empty() && codes.rank() == 2 && kernels::packed::row_elements(format, codes) == x.back(),
          "x is ", in[0], ", codes are ", in[1]);
    const TensorType* const scales = has_x_scales ? &in[x_scales()] : nullptr;
    const DType own = in[0].dtype, out = dtype.value_or(has_x_scales ? scales->dtype : own);
    kernels::packed::check_x_scales(*this, 8, in[0], scales, out);
    const bool is_bias = has_bias && in.back().dtype == (has_x_scales ? out : own);
    check(*this, 6, !has_bias || (is_bias && in.back().shape == Shape{codes[0]}), "codes are ", in[1], ", bias is ",
          in.back());
    check(*this, 7, has_x_scales ? is_float(out) : out == own || (out == DType::f32 && info(own).bytes == 2), "x is ",
          in[0], ", dtype is ", out);
    Shape y = x;
    y.back() = codes[0];
    return {{out, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const std::int64_t k = in[0].shape.back();
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types) const {
    Loops made{.operands = {kernels::linear_data}, .rounds = "weights are no whole numbers"};
    made.operands.resize(in.size(), {.role = Role::parameter});
    if (has_x_scales) made.operands[0] = {.role = Role::data};
    if (has_bias) made.operands.back() = {.role = Role::addend};
    const std::size_t last = in[0].shape.size() - 1;
    for (std::size_t axis = 0; axis < last; ++axis) {
      made.loops.push_back(kernels::along(in, axis));
      if (has_x_scales) made.loops.back().in[x_scales()] = axis;
    }
    Loop rows{.out = last, .in = std::vector<Axis>(in.size(), 0)};
    rows.in[0] = Axis();
    if (has_x_scales) rows.in[x_scales()] = Axis();
    made.loops.push_back(std::move(rows));
    made.loops.push_back(kernels::taps({last}));  // weights of a row lie in blocks, which no loop runs over
    return made;
  }
  bool operator==(const DequantMatmul&) const = default;
};

}  // namespace plumb::ir::ops
