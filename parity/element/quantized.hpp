#pragma once

#include "ir/ops/quantize_linear.hpp"
#include "parity/element/call.hpp"

namespace plumb::parity::element {

using CodeFormat = decltype(ir::ops::QuantizeLinear::code);

/// The number in operand `of`, scales or zero points, that the element at call.at() of operand 0 takes: the only one,
/// that of its place along the axis, or that of its block (ops.md 12).
Number scale_of(const Call& call, std::int64_t axis, std::int64_t block_size, std::size_t of);

/// The IEEE 754 number of few bits: sign, `exponent_bits`, `fraction_bits`.
long double small_float(int code, int exponent_bits, int fraction_bits);

/// The number that a float of 8 or 4 bits stands for, by its sign, exponent and fraction; bits above the sign say
/// nothing.
long double value_of_code(CodeFormat format, std::int64_t code);

}  // namespace plumb::parity::element
