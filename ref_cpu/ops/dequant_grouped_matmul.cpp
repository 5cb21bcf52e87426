// Products of rows with the packed weights of their experts: rows are sorted by them, and the weights of an expert that
// has rows are decoded some at a time, and multiplied with all of these.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/gemm/grouped_product.hpp"
#include "ref_cpu/packed/panels.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

/// T is the dtype of the bias, X that of the elements of x, Out that of the result.
template <class T, class Out, class X>
void multiply_packed_experts(const ir::ops::DequantGroupedMatmul& op, const X* x_rows, Call& call) {
  using C = ir::compute_t<T>;
  const packed::Rows rows(op.packing(), call, 1);
  const ir::Shape& codes = call.in(1).shape();
  const std::int64_t n = codes[1];
  gemm::GroupedProduct<T> product(x_rows, rows.length(), call.in(1 + op.packed_operands()), codes[0], n);
  product.for_each_expert([&](std::int64_t expert, const gemm::Matrix<const C>& x, const gemm::Matrix<C>& sums) {
    packed::for_each_panel<C>(rows, op.weight_dtype, expert * n, n,
                              [&](std::int64_t first, const gemm::Matrix<const C>& panel) {
                                gemm::multiply(x, panel.transposed(), sums.block(0, first, x.rows, panel.rows));
                              });
  });
  product.finish(op.has_bias ? call.inputs.back().as<T>().data() : nullptr, call.out(0).as<Out>().data());
}

}  // namespace

void run(const ir::ops::DequantGroupedMatmul& op, Call& call) {
  if (op.has_x_scales)
    return ir::visit_float(call.out(0).dtype(), [&]<class T>(T) {
      const auto x = packed::scaled_codes<ir::compute_t<T>>(call.in(0), call.in(op.x_scales()));
      multiply_packed_experts<T, T>(op, x.data(), call);
    });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const T* const x = call.in(0).as<T>().data();
    if (call.out(0).dtype() == call.in(0).dtype()) return multiply_packed_experts<T, T>(op, x, call);
    multiply_packed_experts<T, ir::compute_t<T>>(op, x, call);  // sums that stay unrounded
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::DequantGroupedMatmul& op, ir::Types in) {
  return gemm::sums_of_products(in[op.has_x_scales ? op.x_scales() : 0].dtype, op.has_bias);
}

}  // namespace plumb::ref_cpu
