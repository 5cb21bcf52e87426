// Operands of quantised ops.
#pragma once

#include "ir/convert.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::testing {

/// Whole numbers of an integer dtype.
inline ir::Tensor whole(ir::DType dtype, const ir::Shape& shape, const std::vector<double>& values) {
  return ir::convert(ir::Tensor::of<double>(shape, values), dtype);
}

/// Codes over all of the range of i8 or u8.
inline ir::Tensor codes(ir::DType dtype, const ir::Shape& shape, std::uint64_t seed) {
  const bool is_signed = dtype == ir::DType::i8;
  return random_tensor({dtype, shape}, seed,
                       {.distribution = ir::Distribution::uniform_int,
                        .low = is_signed ? -128.0 : 0.0,
                        .high = is_signed ? 128.0 : 256.0});
}

/// Scales under which products of some hundred codes are codes again.
inline ir::Tensor scales(ir::DType dtype, const ir::Shape& shape, std::uint64_t seed) {
  return random_tensor({dtype, shape}, seed, {.distribution = ir::Distribution::uniform, .low = 0.005, .high = 0.02});
}

}  // namespace plumb::testing
