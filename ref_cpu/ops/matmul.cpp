// Batched matrix products with transposed operands, by the common entry to Eigen.
#include "ir/ops/matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Matmul& op, Call& call) {
  const gemm::Factor a{call.in(0), op.transpose_a}, b{call.in(1), op.transpose_b};
  gemm::matrix_product(call.kept([&] { return gemm::ProductPlan(a, b, call.out(0).shape()); }), a, b, call.out(0));
}

std::vector<ir::Sum> published_sums(const ir::ops::Matmul&, ir::Types in) {
  return gemm::sums_of_products(in[0].dtype);
}

}  // namespace plumb::ref_cpu
