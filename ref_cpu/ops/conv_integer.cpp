// Convolution of codes less their zero points.
#include "ir/ops/conv_integer.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integer_convolution.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ConvInteger& op, Call& call) {
  const kernels::CodeConvolution of{.x = call.in(0),
                                    .w = call.in(1),
                                    .x_zero = op.has_x_zero ? &call.in(2) : nullptr,
                                    .w_zero = op.has_w_zero ? &call.in(op.w_zero()) : nullptr};
  const auto& plan = call.kept([&] {
    return kernels::CodeConvolutionPlan(op.axes(of.x.shape(), of.w.shape()), op.group, of, call.out(0).shape());
  });
  kernels::integer_convolution(plan, of, call.out(0).as<std::int32_t>());
}

}  // namespace plumb::ref_cpu
