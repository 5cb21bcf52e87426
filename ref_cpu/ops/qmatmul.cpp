// Products of codes, requantised.
#include "ir/ops/qmatmul.hpp"

#include "ref_cpu/gemm/integer_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/requantize.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Qmatmul& op, Call& call) {
  const gemm::CodeMatrices a{call.in(0), &call.in(2)}, b{call.in(3), &call.in(5)};
  const auto& plan = call.kept([&] { return gemm::CodeProductPlan(a, b, call.out(0).shape()); });
  ScratchRoom<std::int32_t> sums(static_cast<std::size_t>(call.out(0).elements()));
  gemm::integer_product(plan, a, b, sums);
  // Scales lie as their zero points do.
  kernels::requantize(
      sums,
      {.left_scale = {call.in(1), plan.a_zero},
       .right_scale = {call.in(4), plan.b_zero},
       .y_scale = call.in(6),
       .y_zero = call.in(7),
       .bias = op.has_bias ? std::optional(kernels::Stretched{call.in(8), call.in(8).shape()}) : std::nullopt},
      call.out(0));
}

}  // namespace plumb::ref_cpu
