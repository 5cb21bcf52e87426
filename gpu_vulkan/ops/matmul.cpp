#include "ir/ops/matmul.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// Strides between the matrices of x, read as `batch`.
std::vector<std::int64_t> batch_strides(const ir::Shape& x, const ir::Shape& batch) {
  auto strides = ir::broadcast_strides(x.leading(x.size() - 2), batch);
  for (auto& stride : strides) stride *= x[x.size() - 2] * x[x.size() - 1];
  return strides;
}

}  // namespace

void lower(const ir::ops::Matmul& op, plan::Lowering& node) {
  const auto &a = node.in_type(0).shape, &b = node.in_type(1).shape, &y = node.out_type(0).shape;
  const ir::Shape batch = y.leading(y.size() - 2);
  kernels::gemm::Gemm product;
  product.m = y[y.size() - 2];
  product.n = y[y.size() - 1];
  product.k = a[a.size() - (op.transpose_a ? 2 : 1)];
  product.sums_in_f16 = op.accumulator == ir::DType::f16;
  product.transpose_a = op.transpose_a;
  product.transpose_b = op.transpose_b;
  product.batch = batch;
  product.a_strides = batch_strides(a, batch);
  product.b_strides = batch_strides(b, batch);
  const bool one_b = std::ranges::all_of(product.b_strides, [](std::int64_t stride) { return stride == 0; });
  if (one_b && !op.transpose_a && a.leading(a.size() - 2) == batch) {  // the rows of all a make one product
    product.m *= batch.elements();
    product.batch.clear();
    product.a_strides.clear();
    product.b_strides.clear();
  }
  kernels::gemm::lower_gemm(product, node);
}

}  // namespace plumb::gpu_vulkan
