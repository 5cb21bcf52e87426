#pragma once

#include "parity/cases/sensitivity.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// Asks a sample of output `k`, with what is allowed to its elements, whether it would notice two small faults: F1,
/// float operands keep half of their significand's bits, or half of the result's where that has fewer; F2, the term of
/// median size is missing from the sum (verdict.md V41). Elements of bare sums are asked one by one; nothing is
/// concluded from them where `got` is, bit for bit, what the kernel's own order gives. Others are asked on a slice of
/// the segment, or on all of it where that is small: F1, and of one op with sums F2, an element of median size missing
/// in every line of the first operand. Where neither can be had, or changes nothing, nothing is asked.
cases::Sensitivity sensitivity_of(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                  const compare::Allowed& allowed, const ir::TensorView& got, Draws draws);

}  // namespace plumb::parity::checks::samples
