// Products of codes less their zero points.
#include "ir/ops/matmul_integer.hpp"

#include "ref_cpu/gemm/integer_product.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::MatmulInteger& op, Call& call) {
  gemm::integer_product({call.in(0), op.has_a_zero ? &call.in(2) : nullptr},
                        {call.in(1), op.has_b_zero ? &call.in(op.b_zero()) : nullptr}, call.out(0));
}

}  // namespace plumb::ref_cpu
