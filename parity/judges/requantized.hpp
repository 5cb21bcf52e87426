// Codes of sums of products of codes, which scales of operands and result make reals of.
#pragma once

#include "parity/judges/choices.hpp"

namespace plumb::parity::judges {

/// The numbers that decide the codes of a node. Scales are of f64 and have shapes that broadcast to the result's.
struct Requantized {
  ir::Tensor sums;  ///< i32, of the result's shape, exact modulo 2^32
  ir::Tensor left_scale, right_scale;
  double y_scale = 1, y_zero = 0;
  ir::DType scales = ir::DType::f32;  ///< the dtype of the scales
};

/// sums + bias modulo 2^32; the bias is i32 and, read as `shape`, broadcasts to them.
ir::Tensor with_bias(ir::Tensor sums, const ir::Tensor& bias, const ir::Shape& shape);

/// x under another shape of as many elements.
ir::Tensor read_as(const ir::Tensor& x, ir::Shape shape);

/// Output 0, whose codes are sums·(left·right/y_scale), rounded. The four roundings of a candidate are 4u of that
/// (ops.md 12); where all scales are powers of 2 and a sum is no larger than a significand nothing is rounded. Where
/// the product of scales leaves the range of what is computed in, any code is admissible.
OutputJudgement judge_requantized(const Question& question, const Requantized& of);

}  // namespace plumb::parity::judges
