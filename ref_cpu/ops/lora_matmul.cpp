// Products with a weight of a low-rank correction: x·a is kept in the compute type, and rounded once with the rest.
#include "ir/ops/lora_matmul.hpp"

#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::LoraMatmul& op, Call& call) {
  const ir::Shape &w = call.in(1).shape(), &a = call.in(2).shape();
  const std::int64_t k = w[0], n = w[1], r = a[1], m = call.out(0).shape().elements() / n;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> x_values(call.in(0)), w_values(call.in(1)), a_values(call.in(2)), b_values(call.in(3));
    const auto x = gemm::row_major(x_values.data(), m, k);
    const auto of_w = gemm::row_major(w_values.data(), k, n), of_b = gemm::row_major(b_values.data(), r, n);
    const auto y = gemm::row_major(call.out(0).as<T>().data(), m, n);
    ScratchRoom<C> inner(static_cast<std::size_t>(m * r));
    const auto low = gemm::row_major(inner.data(), m, r);
    if (r > 0)
      gemm::for_each_panel(1, m, r, k, [&](const gemm::Panel& p) {
        gemm::multiply(x.block(p.row, 0, p.rows, k),
                       gemm::row_major(a_values.data(), k, r).block(0, p.column, k, p.columns),
                       low.block(p.row, p.column, p.rows, p.columns));
      });
    const C scale = static_cast<C>(op.scale);
    gemm::for_each_panel(1, m, n, k + r, [&](const gemm::Panel& p) {
      ScratchRoom<C> correction(static_cast<std::size_t>(p.rows * p.columns));
      const auto added = gemm::row_major(correction.data(), p.rows, p.columns);
      if (r > 0)
        gemm::multiply(low.as_const().block(p.row, 0, p.rows, r), of_b.block(0, p.column, r, p.columns), added);
      gemm::multiply(x.block(p.row, 0, p.rows, k), of_w.block(0, p.column, k, p.columns),
                     y.block(p.row, p.column, p.rows, p.columns), [&](C sum, std::int64_t row, std::int64_t column) {
                       return r == 0 ? sum : sum + scale * added.data[row * p.columns + column];
                     });
    });
  });
}

}  // namespace plumb::ref_cpu
