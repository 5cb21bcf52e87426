// Products with packed weights: some rows of W at a time are decoded, and multiplied with all rows of x.
#include "ir/ops/dequant_matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/packed/panels.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

template <class T, class Out>
void multiply_panels(const ir::ops::DequantMatmul& op, Call& call) {
  using C = ir::compute_t<T>;
  const packed::Rows rows(op.packing(), call, 1);
  const std::int64_t k = rows.length(), n = rows.count(), m = call.out(0).shape().elements() / n;
  const kernels::Computed<T> x(call.in(0));
  const auto left = gemm::row_major<const C>(x.data(), m, k);
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
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    if (call.out(0).dtype() == call.in(0).dtype()) return multiply_panels<T, T>(op, call);
    multiply_panels<T, ir::compute_t<T>>(op, call);  // sums that stay unrounded
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::DequantMatmul& op, ir::Types in) {
  return gemm::sums_of_products(in[0].dtype, op.has_bias);
}

}  // namespace plumb::ref_cpu
