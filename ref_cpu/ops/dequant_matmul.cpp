// Products with packed weights: some rows of W at a time are decoded, and multiplied with all rows of x.
#include "ir/ops/dequant_matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/packed/panels.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

/// x is in what is computed in. T is the dtype of the bias, Out that of the result.
template <class T, class Out>
void multiply_panels(const ir::ops::DequantMatmul& op, const ir::compute_t<T>* x, Call& call) {
  using C = ir::compute_t<T>;
  const packed::Rows rows(op.packing(), call, 1);
  const std::int64_t k = rows.length(), n = rows.count(), m = call.out(0).shape().elements() / n;
  const auto left = gemm::row_major<const C>(x, m, k);
  const auto y = gemm::row_major(call.out(0).as<Out>().data(), m, n);
  const T* const bias = op.has_bias ? call.inputs.back().as<T>().data() : nullptr;
  packed::for_each_panel<C>(rows, op.weight_dtype, 0, n, [&](std::int64_t first, const gemm::Matrix<const C>& panel) {
    gemm::multiply(left, panel.transposed(), y.block(0, first, m, panel.rows),
                   [&](C sum, std::int64_t, std::int64_t column) {
                     return bias == nullptr ? sum : sum + static_cast<C>(bias[first + column]);
                   });
  });
}

}  // namespace

void run(const ir::ops::DequantMatmul& op, Call& call) {
  if (op.has_x_scales)
    return ir::visit_float(call.out(0).dtype(), [&]<class T>(T) {
      const auto x = packed::scaled_codes<ir::compute_t<T>>(call.in(0), call.in(op.x_scales()));
      multiply_panels<T, T>(op, x.data(), call);
    });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const kernels::Computed<T> x(call.in(0));
    if (call.out(0).dtype() == call.in(0).dtype()) return multiply_panels<T, T>(op, x.data(), call);
    multiply_panels<T, ir::compute_t<T>>(op, x.data(), call);  // sums that stay unrounded
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::DequantMatmul& op, ir::Types in) {
  return gemm::sums_of_products(in[op.has_x_scales ? op.x_scales() : 0].dtype, op.has_bias);
}

}  // namespace plumb::ref_cpu
