#pragma once

#include <optional>

#include "ir/ops/dequant_matmul.hpp"
#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// One weight by its format (ops.md A). Code, scale and zero point are operands `codes` and those behind it; `at` is
/// the position of the weight, whose last entry counts elements of a row.
Real packed_weight(ir::ops::PackedFormat format, std::int64_t block_size, bool has_zero_points, const Call& call,
                   std::size_t codes, Position at);

/// Element `at` of x, operand 0 of a product: itself or, where it is a code, its product with the scale of its block of
/// 32, which is an element of operand `scales`.
Real left_factor(const Call& call, Position at, std::optional<std::size_t> scales);

/// The f32 value of a weight in a product, of formats with real scales by two roundings to f32, of scales and zero
/// points that were rounded to it. Throws NoAnswer where one of these is not exact.
float packed_factor(ir::ops::PackedFormat format, std::int64_t block_size, bool has_zero_points, const Call& call,
                    std::size_t codes, Position at);

/// A weight rounded to nearest even to the float that products take it for.
long double rounded_factor(ir::ops::WeightDtype dtype, float weight);

}  // namespace plumb::parity::element
