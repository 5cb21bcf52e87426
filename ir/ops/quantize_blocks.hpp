// Declares the packing of numbers into blocks.
#pragma once

#include "ir/ops/dequantize.hpp"

namespace plumb::ir::ops {

/// Numbers as packed codes, by the encoders in closed form of ops.md A.6: in f32, operation by operation. A number of x
/// that is not finite is refused when the node runs.
struct QuantizeBlocks {
  PackedFormat format = PackedFormat::q8_0;

  static constexpr auto name = "quantize_blocks";
  static constexpr auto summary = "numbers as packed codes";
  static constexpr auto formula =
      "codes of blocks by ops.md A.6: a scale from the largest or from both ends, then codes";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., K]"}};
  static constexpr std::array outputs = {Output{"codes", "u8 [.., row bytes]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "format must be q4_0, q4_1, q5_0, q5_1, q8_0 or mxfp4",
      "x must have an axis, and whole blocks along the last one"};
  static constexpr auto fields = std::tuple{
      Field{"format", &QuantizeBlocks::format, "how codes are packed", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    const kernels::packed::Layout block = kernels::packed::layout(format);
    using enum kernels::packed::Format;
    constexpr std::array has_encoder = {q4_0, q4_1, q5_0, q5_1, q8_0, mxfp4};
    bool is_known = false;
    for (const PackedFormat one : has_encoder) is_known |= one == format;
    check(*this, 1, is_known, "format is ", enum_names(format)[static_cast<std::size_t>(format)]);
    check(*this, 2, !x.empty() && x.back() % block.elements == 0, "x is ", in[0]);
    Shape codes = x;
    codes.back() = x.back() / block.elements * block.bytes;
    return {{DType::u8, std::move(codes)}};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Loops loops(Types in, Types) const {
    Loops made{.rounds = "codes are rounded"};
    for (std::size_t axis = 0; axis + 1 < in[0].shape.size(); ++axis) made.loops.push_back(kernels::along(in, axis));
    return made;
  }
  bool operator==(const QuantizeBlocks&) const = default;
};

}  // namespace plumb::ir::ops
