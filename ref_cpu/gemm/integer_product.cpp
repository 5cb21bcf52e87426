// Products of codes as products of i32, which wrap.
#include "ref_cpu/gemm/integer_product.hpp"

#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernels/codes.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

ir::Tensor numbers_of(const CodeMatrices& matrices, ir::kernels::MatrixLines lines) {
  const auto& [codes, zero] = matrices;
  if (zero == nullptr) return kernels::centred(codes, nullptr, {});
  return kernels::centred(codes, zero, ir::kernels::shape_over_lines(zero->shape(), codes.shape(), lines).value());
}

}  // namespace

void integer_product(const CodeMatrices& a, const CodeMatrices& b, const ir::MutableView& y) {
  const ir::Tensor left = numbers_of(a, ir::kernels::MatrixLines::rows);
  const ir::Tensor right = numbers_of(b, ir::kernels::MatrixLines::columns);
  matrix_product({left.view()}, {right.view()}, y);
}

}  // namespace plumb::ref_cpu::gemm
