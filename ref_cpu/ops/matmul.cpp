// Batched matrix products with transposed operands, by the common entry to Eigen.
#include "ir/ops/matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Matmul& op, Call& call) {
  const gemm::Factor a{call.in(0), op.transpose_a}, b{call.in(1), op.transpose_b};
  const auto& plan = call.kept(
      [&] { return gemm::ProductPlan(call.in(0).shape(), op.transpose_a, call.in(1).shape(), call.out(0).shape()); });
  gemm::matrix_product(plan, a, b, call.out(0));
}

std::vector<ir::Sum> published_sums(const ir::ops::Matmul&, ir::Types in) {
  return gemm::sums_of_products(in[0].dtype);
}

}  // namespace plumb::ref_cpu
