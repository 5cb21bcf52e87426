// Convolution of codes, requantised.
#include "ir/ops/qconv.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integer_convolution.hpp"
#include "ref_cpu/kernels/requantize.hpp"

namespace plumb::ref_cpu {
namespace {

/// A tensor with one element for each filter, or one for all, as it broadcasts to [N, M, O..].
ir::TensorView over_filters(const ir::TensorView& of_filters, const ir::Shape& y) {
  ir::Shape shape(y.size() - 1, 1);
  shape[0] = of_filters.elements();
  return kernels::read_as(of_filters, std::move(shape));
}

}  // namespace

void run(const ir::ops::Qconv& op, Call& call) {
  const ir::Shape& y = call.out(0).shape();
  ir::Tensor sums({ir::DType::i32, y});
  kernels::integer_convolution({.axes = op.axes(call.in(0).shape(), call.in(3).shape()),
                                .group = op.group,
                                .x = call.in(0),
                                .w = call.in(3),
                                .x_zero = &call.in(2),
                                .w_zero = &call.in(5)},
                               sums.view());
  kernels::requantize(sums,
                      {.left_scale = call.in(1),
                       .right_scale = over_filters(call.in(4), y),
                       .y_scale = call.in(6),
                       .y_zero = call.in(7),
                       .bias = op.has_bias ? std::optional(over_filters(call.in(8), y)) : std::nullopt},
                      call.out(0));
}

}  // namespace plumb::ref_cpu
