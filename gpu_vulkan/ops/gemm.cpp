// Lowers ONNX's Gemm, alpha a b + beta c with c broadcast by strides, to the kernels of matrix products.
#include "ir/ops/gemm.hpp"

#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Gemm& op, plan::Lowering& node) {
  const auto &a = node.in_type(0).shape, &y = node.out_type(0).shape;
  kernels::gemm::Gemm product;
  product.m = y[0];
  product.n = y[1];
  product.k = a[op.transpose_a ? 0 : 1];
  product.sums_in_f16 = op.accumulator == ir::DType::f16;
  product.transpose_a = op.transpose_a;
  product.transpose_b = op.transpose_b;
  product.alpha = op.alpha;
  product.beta = op.beta;
  product.has_c = op.has_c;
  if (op.has_c) {
    const auto strides = ir::broadcast_strides(node.in_type(2).shape, y);
    product.c_strides = {strides[0], strides[1]};
  }
  kernels::gemm::lower_gemm(product, node);
}

}  // namespace plumb::gpu_vulkan
