// ONNX's Gemm in panels: alpha, beta and the broadcast c are applied to the sums before they are rounded.
#include "ir/ops/gemm.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/strides.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Gemm& op, Call& call) {
  const auto &a = call.in(0).shape(), &b = call.in(1).shape(), &y = call.out(0).shape();
  const std::int64_t m = y[0], n = y[1], k = a[op.transpose_a ? 0 : 1];
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> a_values(call.in(0)), b_values(call.in(1));
    auto left = gemm::row_major(a_values.data(), a[0], a[1]), right = gemm::row_major(b_values.data(), b[0], b[1]);
    if (op.transpose_a) left = left.transposed();
    if (op.transpose_b) right = right.transposed();
    const auto result = gemm::row_major(call.out(0).as<T>().data(), m, n);
    const T* const added = op.has_c ? call.in(2).as<T>().data() : nullptr;
    const auto c_strides = op.has_c ? kernels::strides_within(call.in(2).shape(), y) : kernels::Strides{};
    const C alpha = static_cast<C>(op.alpha), beta = static_cast<C>(op.beta);
    gemm::for_each_panel(1, m, n, k, [&](const gemm::Panel& p) {
      const auto target = result.block(p.row, p.column, p.rows, p.columns);
      const T* const corner = op.has_c ? added + p.row * c_strides[0] + p.column * c_strides[1] : nullptr;
      gemm::multiply(left.block(p.row, 0, p.rows, k), right.block(0, p.column, k, p.columns), target,
                     [&](C sum, std::int64_t row, std::int64_t column) {
                       const C scaled = alpha * sum;
                       if (corner == nullptr) return scaled;
                       return scaled + beta * static_cast<C>(corner[row * c_strides[0] + column * c_strides[1]]);
                     });
    });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::Gemm& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  ir::Sum sum = gemm::sum_of_floats();
  if (op.alpha != 1) sum.epilogue.push_back(ir::SumStep::alpha);
  if (op.has_c) sum.epilogue.push_back(ir::SumStep::bias);
  return {sum};
}

}  // namespace plumb::ref_cpu
