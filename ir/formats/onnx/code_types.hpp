#pragma once

#include <optional>
#include <string_view>

#include "ir/kernels/linear_codes.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir::from_onnx {

/// A type of ONNX whose numbers are codes here, one in each byte: integers of 4 and 2 bits, floats of 8 and of 4.
struct CodeType {
  std::int64_t onnx_type = 0;
  DType dtype = DType::u8;  ///< that holds the codes
  std::int64_t bits = 8;    ///< bits that a code takes in a file
  kernels::CodeFormat format = kernels::CodeFormat::integer;

  bool operator==(const CodeType&) const = default;
};

/// Nothing for a number that stands for no such type.
std::optional<CodeType> code_type(std::int64_t onnx_type);

/// How many bytes so many codes take in a file.
std::int64_t packed_bytes(const CodeType& type, std::int64_t count);

/// Codes one by one, of a file that has the first in the lowest bits of a byte. `packed` must have packed_bytes().
Tensor unpacked(const CodeType& type, const Shape& shape, std::span<const std::byte> packed);

/// The use that an operator makes of operands that are such codes.
enum class CodeUse {
  refuses,    ///< it would take them for integers
  reads,      ///< its converter knows of them
  moves,      ///< results have the codes of the first operand, and others are no codes
  moves_all,  ///< results have the codes of any operand, all of which are of one type
};
CodeUse code_use(std::string_view op_type);

}  // namespace plumb::ir::from_onnx
