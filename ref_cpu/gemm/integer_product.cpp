// Products of codes as products of i32, which wrap.
#include "ref_cpu/gemm/integer_product.hpp"

#include "ir/kernels/codes.hpp"
#include "ref_cpu/kernels/codes.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

using ir::kernels::MatrixLines;

ir::Shape shape_of_zero(const CodeMatrices& of, MatrixLines lines) {
  if (of.zero == nullptr) return {};
  return ir::kernels::shape_over_lines(of.zero->shape(), of.codes.shape(), lines).value();
}

}  // namespace

CodeProductPlan::CodeProductPlan(const CodeMatrices& a, const CodeMatrices& b, const ir::Shape& y)
    : a_zero(shape_of_zero(a, MatrixLines::rows)),
      b_zero(shape_of_zero(b, MatrixLines::columns)),
      product(a.codes.shape(), false, b.codes.shape(), y) {}

void integer_product(const CodeProductPlan& plan, const CodeMatrices& a, const CodeMatrices& b,
                     std::span<std::int32_t> y) {
  const auto left = kernels::centred(a.codes, a.zero, plan.a_zero);
  const auto right = kernels::centred(b.codes, b.zero, plan.b_zero);
  matrix_product(plan.product, left, right, y);
}

}  // namespace plumb::ref_cpu::gemm
