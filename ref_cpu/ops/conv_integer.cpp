// Convolution of codes less their zero points.
#include "ir/ops/conv_integer.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integer_convolution.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ConvInteger& op, Call& call) {
  kernels::integer_convolution({.axes = op.axes(call.in(0).shape(), call.in(1).shape()),
                                .group = op.group,
                                .x = call.in(0),
                                .w = call.in(1),
                                .x_zero = op.has_x_zero ? &call.in(2) : nullptr,
                                .w_zero = op.has_w_zero ? &call.in(op.w_zero()) : nullptr},
                               call.out(0));
}

}  // namespace plumb::ref_cpu
