// Products of codes less their zero points.
#include "ir/ops/matmul_integer.hpp"

#include "ref_cpu/gemm/integer_product.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::MatmulInteger& op, Call& call) {
  const gemm::CodeMatrices a{call.in(0), op.has_a_zero ? &call.in(2) : nullptr};
  const gemm::CodeMatrices b{call.in(1), op.has_b_zero ? &call.in(op.b_zero()) : nullptr};
  const auto& plan = call.kept([&] { return gemm::CodeProductPlan(a, b, call.out(0).shape()); });
  gemm::integer_product(plan, a, b, call.out(0).as<std::int32_t>());
}

}  // namespace plumb::ref_cpu
