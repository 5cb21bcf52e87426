// Products of codes, requantised.
#include "ir/ops/qmatmul.hpp"

#include "ref_cpu/gemm/integer_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/requantize.hpp"

namespace plumb::ref_cpu {
namespace {

/// A scale as it broadcasts to the products.
ir::TensorView over_lines(const ir::TensorView& scale, const ir::TensorView& matrices, ir::kernels::MatrixLines lines) {
  return kernels::read_as(scale, ir::kernels::shape_over_lines(scale.shape(), matrices.shape(), lines).value());
}

}  // namespace

void run(const ir::ops::Qmatmul& op, Call& call) {
  ir::Tensor sums({ir::DType::i32, call.out(0).shape()});
  gemm::integer_product({call.in(0), &call.in(2)}, {call.in(3), &call.in(5)}, sums.view());
  kernels::requantize(sums,
                      {.left_scale = over_lines(call.in(1), call.in(0), ir::kernels::MatrixLines::rows),
                       .right_scale = over_lines(call.in(4), call.in(3), ir::kernels::MatrixLines::columns),
                       .y_scale = call.in(6),
                       .y_zero = call.in(7),
                       .bias = op.has_bias ? std::optional(call.in(8)) : std::nullopt},
                      call.out(0));
}

}  // namespace plumb::ref_cpu
