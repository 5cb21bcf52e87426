// Codes of fewer bits than a dtype has, and floats of 8 bits, as onnx.proto of ONNX 1.20 numbers and packs them.
#include "ir/formats/onnx/code_types.hpp"

#include <algorithm>
#include <array>

namespace plumb::ir::from_onnx {

using kernels::CodeFormat;

std::optional<CodeType> code_type(std::int64_t onnx_type) {
  constexpr std::array all = {
      CodeType{17, DType::u8, 8, CodeFormat::e4m3},    CodeType{19, DType::u8, 8, CodeFormat::e5m2},
      CodeType{21, DType::u8, 4, CodeFormat::integer}, CodeType{22, DType::i8, 4, CodeFormat::integer},
      CodeType{23, DType::u8, 4, CodeFormat::e2m1},    CodeType{25, DType::u8, 2, CodeFormat::integer},
      CodeType{26, DType::i8, 2, CodeFormat::integer}};
  const auto* const found = std::ranges::find(all, onnx_type, &CodeType::onnx_type);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::int64_t packed_bytes(const CodeType& type, std::int64_t count) {
  const std::int64_t in_byte = 8 / type.bits;
  return count / in_byte + (count % in_byte != 0 ? 1 : 0);
}

Tensor unpacked(const CodeType& type, const Shape& shape, std::span<const std::byte> packed) {
  Tensor codes({type.dtype, shape});
  const auto bytes = codes.bytes();
  const auto in_byte = static_cast<std::size_t>(8 / type.bits), bits = static_cast<std::size_t>(type.bits);
  const unsigned mask = (1u << bits) - 1, sign = is_signed(type.dtype) ? 1u << (bits - 1) : 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned code = std::to_integer<unsigned>(packed[i / in_byte]) >> (i % in_byte * bits) & mask;
    bytes[i] = static_cast<std::byte>((code ^ sign) - sign);  // bits above the sign are like it
  }
  return codes;
}

CodeUse code_use(std::string_view op_type) {
  constexpr std::string_view reading[] = {"Cast", "Constant", "DequantizeLinear", "QuantizeLinear", "Shape", "Size"};
  constexpr std::string_view moving[] = {"Expand", "Flatten", "Gather",  "Identity",  "Reshape",
                                         "Slice",  "Split",   "Squeeze", "Transpose", "Unsqueeze"};
  if (std::ranges::count(reading, op_type) > 0) return CodeUse::reads;
  if (std::ranges::count(moving, op_type) > 0) return CodeUse::moves;
  return op_type == "Concat" ? CodeUse::moves_all : CodeUse::refuses;
}

}  // namespace plumb::ir::from_onnx
