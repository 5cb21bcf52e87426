// Sums of products of codes.
#pragma once

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// Which operands of a call are matrices or an image of codes, and their zero points; nothing: they are 0.
struct CodeOperands {
  std::size_t a = 0, b = 1;
  std::optional<std::size_t> a_zero = {}, b_zero = {};
};

/// A scale or zero point at an element of a product [.., M, N]: one for all, one for each row ([M], [.., M, 1]).
Number of_row(const Call& call, std::size_t operand);
/// One for all, one for each column ([N], [.., 1, N]).
Number of_column(const Call& call, std::size_t operand);
/// One for all, or one for each filter of a convolution.
Number of_filter(const Call& call, std::size_t operand);

/// Σ (a − a_zero)(b − b_zero) over the terms of an element of a product, modulo 2^64.
std::uint64_t product_of_codes(const Call& call, const CodeOperands& of);

/// Strides and the like of a convolution.
struct ConvolutionOf {
  const std::vector<std::int64_t>&strides, &dilations, &pads;
  std::int64_t group;
};

/// Σ (a − a_zero)(b − b_zero) over the taps of an element of a convolution, of image a by filters b, that lie in the
/// image, modulo 2^64.
std::uint64_t convolution_of_codes(const Call& call, const CodeOperands& of, const ConvolutionOf& by);

/// saturate(RNE(sum·(left·right/y_scale)) + y_zero) as the dtype of the element; NaN gives y_zero. Throws NoAnswer
/// where the uncertainty of the product decides it.
Number requantized(const Call& call, Number sum, Real left, Real right, Real y_scale, Number y_zero);

}  // namespace plumb::parity::element
