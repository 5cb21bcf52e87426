// Products of rows with the weights of their experts: rows are sorted by them, and each expert's are one product.
#include "ir/ops/grouped_matmul.hpp"

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/gemm/grouped_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

/// The matrix of one expert in the type that is computed in: itself, or a copy.
template <class T, class C>
const C* matrix_of(const T* stored, std::int64_t size, ScratchRoom<C>& copy) {
  if constexpr (std::is_same_v<T, C>) {
    return stored;
  } else {
    copy.resize(static_cast<std::size_t>(size));
    parallel_for(size, 1 << 15, [&](std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) copy[static_cast<std::size_t>(i)] = static_cast<C>(stored[i]);
    });
    return copy.data();
  }
}

template <class T>
void multiply_experts(const ir::ops::GroupedMatmul& op, Call& call) {
  using C = ir::compute_t<T>;
  const ir::TensorView& w = call.in(1);
  const std::int64_t k = call.in(0).shape()[1], n = call.out(0).shape()[1];
  gemm::GroupedProduct<T> product(call.in(0).as<T>().data(), k, call.in(2), w.shape()[0], n);
  ScratchRoom<C> copy;
  product.for_each_expert([&](std::int64_t expert, const gemm::Matrix<const C>& x, const gemm::Matrix<C>& sums) {
    const C* const matrix = matrix_of(w.as<T>().data() + expert * k * n, k * n, copy);
    const auto factor = op.transpose_w ? gemm::row_major(matrix, n, k).transposed() : gemm::row_major(matrix, k, n);
    gemm::for_each_panel(1, x.rows, n, k, [&](const gemm::Panel& p) {
      gemm::multiply(x.block(p.row, 0, p.rows, k), factor.block(0, p.column, k, p.columns),
                     sums.block(p.row, p.column, p.rows, p.columns));
    });
  });
  product.finish(op.has_bias ? call.in(3).as<T>().data() : nullptr, call.out(0).as<T>().data());
}

}  // namespace

void run(const ir::ops::GroupedMatmul& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) { multiply_experts<T>(op, call); });
}

std::vector<ir::Sum> published_sums(const ir::ops::GroupedMatmul& op, ir::Types in) {
  return gemm::sums_of_products(in[0].dtype, op.has_bias);
}

}  // namespace plumb::ref_cpu
