// Convolution of codes, requantised.
#include "ir/ops/qconv.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integer_convolution.hpp"
#include "ref_cpu/kernels/requantize.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The convolution, and how scales and bias of filters broadcast to [N, M, O..].
struct Requantized {
  kernels::CodeConvolutionPlan convolution;
  ir::Shape w_scale, bias;
};

}  // namespace

void run(const ir::ops::Qconv& op, Call& call) {
  const ir::Shape& y = call.out(0).shape();
  const kernels::CodeConvolution of{.x = call.in(0), .w = call.in(3), .x_zero = &call.in(2), .w_zero = &call.in(5)};
  const auto& plan = call.kept([&] {
    return Requantized{{op.axes(of.x.shape(), of.w.shape()), op.group, of, y},
                       kernels::shape_over_filters(call.in(4), y.size() - 2),
                       op.has_bias ? kernels::shape_over_filters(call.in(8), y.size() - 2) : ir::Shape()};
  });
  ScratchRoom<std::int32_t> sums(static_cast<std::size_t>(call.out(0).elements()));
  kernels::integer_convolution(plan.convolution, of, sums);
  kernels::requantize(sums,
                      {.left_scale = {call.in(1), call.in(1).shape()},
                       .right_scale = {call.in(4), plan.w_scale},
                       .y_scale = call.in(6),
                       .y_zero = call.in(7),
                       .bias = op.has_bias ? std::optional(kernels::Stretched{call.in(8), plan.bias}) : std::nullopt},
                      call.out(0));
}

}  // namespace plumb::ref_cpu
