// Codes of 8 bits as the numbers that they stand for, before their scale.
#pragma once

#include "ir/tensor.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// codes − zero. `zero`, null for 0, has the codes' dtype; read as shape `zero_shape` it broadcasts to them.
ScratchRoom<std::int32_t> centred(const ir::TensorView& codes, const ir::TensorView* zero, const ir::Shape& zero_shape);

/// Code i of u8 or i8.
inline std::int32_t code_at(const ir::TensorView& codes, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return codes.dtype() == ir::DType::u8 ? std::int32_t{codes.as<std::uint8_t>()[at]} : codes.as<std::int8_t>()[at];
}

}  // namespace plumb::ref_cpu::kernels
