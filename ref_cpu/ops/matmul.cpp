#include "ir/ops/matmul.hpp"

#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Matmul& op, Call& call) {
  gemm::matrix_product({call.in(0), op.transpose_a}, {call.in(1), op.transpose_b}, call.out(0));
}

}  // namespace plumb::ref_cpu
