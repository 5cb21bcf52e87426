#include "ir/ops/matmul.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/product.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Matmul& op, Call& call) {
  matrix_product({call.in(0), op.transpose_a}, {call.in(1), op.transpose_b}, call.out(0));
}

}  // namespace plumb::ref_cpu
