#include "ref_cpu/gemm/product.hpp"

#include <algorithm>
#include <complex>

#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/kernels/computed.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

/// One operand: its elements as the products compute them, where the matrix of
/// each product of the batch begins, and whether it is stored transposed.
template <class T>
struct Operand {
  const T* data;
  std::span<const std::int64_t> offsets;
  bool transposed;

  Matrix<const T> matrix(std::int64_t batch, std::int64_t rows, std::int64_t columns) const {
    const T* const first = data + offsets[static_cast<std::size_t>(batch)];
    return transposed ? row_major(first, columns, rows).transposed() : row_major(first, rows, columns);
  }
};

/// Where the matrices of x begin that broadcasting over `batch` meets, in elements.
std::vector<std::int64_t> offsets(const ir::Shape& x, const ir::Shape& batch) {
  const auto strides = ir::broadcast_strides(x.leading(x.size() - 2), batch);
  const std::int64_t matrix = x[x.size() - 2] * x[x.size() - 1];
  std::vector<std::int64_t> found(static_cast<std::size_t>(batch.elements()));
  std::vector<std::int64_t> position(batch.size(), 0);
  for (auto& offset : found) {
    for (std::size_t i = 0; i < batch.size(); ++i) offset += position[i] * strides[i] * matrix;
    for (std::size_t i = batch.size(); i-- > 0 && ++position[i] == batch[i];) position[i] = 0;
  }
  return found;
}

struct ProductExtents {
  std::int64_t batch, m, n, k;
};

template <class T, class Out>
void multiply_all(const ProductExtents& e, const Operand<T>& a, const Operand<T>& b, Out* y) {
  for_each_panel(e.batch, e.m, e.n, e.k, [&](const Panel& p) {
    const auto left = a.matrix(p.batch, e.m, e.k).block(p.row, 0, p.rows, e.k);
    const auto right = b.matrix(p.batch, e.k, e.n).block(0, p.column, e.k, p.columns);
    const auto target = row_major(y + p.batch * e.m * e.n, e.m, e.n).block(p.row, p.column, p.rows, p.columns);
    if constexpr (std::is_same_v<T, Out>)
      multiply(left, right, target);
    else
      multiply(left, right, target, [](T sum, std::int64_t, std::int64_t) { return sum; });
  });
}

/// Integers are multiplied as unsigned ones, which wrap.
template <class T>
auto* as_computed(T* data) {
  using Bare = std::remove_const_t<T>;
  if constexpr (std::is_integral_v<Bare>) {
    using Unsigned = std::make_unsigned_t<Bare>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Unsigned, Unsigned>*>(data);
  } else {
    return data;
  }
}

/// (a + ib)(c + id) in real products: a row of a is (re, im) pairs as it is stored;
/// each element of b becomes the block [re, im; -im, re].
template <class T>
ScratchVector<T> complex_blocks(std::span<const std::complex<T>> b, std::int64_t k, std::int64_t n, bool transposed) {
  ScratchVector<T> blocks(4 * b.size());
  const auto matrix = static_cast<std::size_t>(k * n);
  parallel_for(static_cast<std::int64_t>(b.size()), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto inside = static_cast<std::int64_t>(i % matrix);
      const auto row = transposed ? inside % k : inside / n, column = transposed ? inside / k : inside % n;
      T* const block = blocks.data() + 4 * (i - i % matrix) + 4 * row * n + 2 * column;
      block[0] = b[i].real();
      block[1] = b[i].imag();
      block[2 * n] = -b[i].imag();
      block[2 * n + 1] = b[i].real();
    }
  });
  return blocks;
}

template <class T>
ScratchVector<std::complex<T>> transposed(std::span<const std::complex<T>> a, std::int64_t rows, std::int64_t columns) {
  ScratchVector<std::complex<T>> out(a.size());
  const auto matrix = static_cast<std::size_t>(rows * columns);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto row = i % matrix / static_cast<std::size_t>(columns), column = i % static_cast<std::size_t>(columns);
    out[i - i % matrix + column * static_cast<std::size_t>(rows) + row] = a[i];
  }
  return out;
}

template <class T>
void multiply_complex(const ProductPlan& plan, const Factor& of_a, const Factor& of_b,
                      const kernels::MutableElements& y) {
  auto left = of_a.x.as<std::complex<T>>();
  ScratchVector<std::complex<T>> turned;
  if (of_a.transposed) left = turned = transposed(left, plan.k, plan.m);
  const auto blocks = complex_blocks(of_b.x.as<std::complex<T>>(), plan.k, plan.n, of_b.transposed);
  ScratchVector<std::int64_t> a_offsets(plan.a_offsets.begin(), plan.a_offsets.end());
  ScratchVector<std::int64_t> b_offsets(plan.b_offsets.begin(), plan.b_offsets.end());
  for (auto& offset : a_offsets) offset *= 2;
  for (auto& offset : b_offsets) offset *= 4;
  multiply_all({plan.batch, plan.m, 2 * plan.n, 2 * plan.k},
               Operand<T>{reinterpret_cast<const T*>(left.data()), a_offsets, false},
               Operand<T>{blocks.data(), b_offsets, false}, reinterpret_cast<T*>(y.as<std::complex<T>>().data()));
}

}  // namespace

ProductPlan::ProductPlan(const ir::Shape& a, bool transposes_a, const ir::Shape& b, const ir::Shape& y)
    : m(y[y.size() - 2]), n(y[y.size() - 1]) {
  const ir::Shape of_all = y.leading(y.size() - 2);
  batch = of_all.elements();
  k = a[a.size() - (transposes_a ? 2 : 1)];
  a_offsets = offsets(a, of_all);
  b_offsets = offsets(b, of_all);
  if (transposes_a || b.leading(b.size() - 2).elements() != 1) return;
  m *= batch;  // Many matrices a by one matrix b are one product: the rows of all of them.
  batch = 1;
}

void matrix_product(const ProductPlan& plan, std::span<const std::int32_t> a, std::span<const std::int32_t> b,
                    std::span<std::int32_t> y) {
  multiply_all({plan.batch, plan.m, plan.n, plan.k},
               Operand<std::uint32_t>{as_computed(a.data()), plan.a_offsets, false},
               Operand<std::uint32_t>{as_computed(b.data()), plan.b_offsets, false}, as_computed(y.data()));
}

void matrix_product(const ProductPlan& plan, const Factor& left, const Factor& right,
                    const kernels::MutableElements& out) {
  if (ir::is_complex(left.x.dtype())) {
    ir::visit_complex(left.x.dtype(),
                      [&]<class T>(T) { multiply_complex<typename T::value_type>(plan, left, right, out); });
    return;
  }
  ir::visit_number(left.x.dtype(), [&]<class T>(T) {
    if constexpr (!std::is_integral_v<T> || sizeof(T) >= 4) {
      const kernels::Computed<T> l(left.x), r(right.x);
      const auto go = [&](auto* result) {
        const auto* of_a = as_computed(l.data());
        using C = std::remove_cvref_t<decltype(*of_a)>;
        multiply_all({plan.batch, plan.m, plan.n, plan.k}, Operand<C>{of_a, plan.a_offsets, left.transposed},
                     Operand<C>{as_computed(r.data()), plan.b_offsets, right.transposed}, as_computed(result));
      };
      if (out.dtype() == left.x.dtype())
        go(out.as<T>().data());
      else
        go(out.as<float>().data());
    }
  });
}

}  // namespace plumb::ref_cpu::gemm
