// Contracts labelled tensors as batched matrix products; what is not dense in the right order is copied first.
#include "ref_cpu/gemm/contract.hpp"

#include <algorithm>

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

ir::kernels::Labels joined(const ir::kernels::Labels& a, const ir::kernels::Labels& b) {
  ir::kernels::Labels both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// A term as a dense tensor with its axes in an order: itself where it is one, else a copy.
class Arranged {
 public:
  Arranged(const Term& term, const ir::kernels::Labels& order, ir::Shape shape) {
    const ir::TensorType type{term.x.dtype(), std::move(shape)};
    const auto copy = term.axes.arranged(type.dtype, order);
    if (copy.is_plain() && term.x.bytes().size() == type.bytes()) {
      view_ = {type, term.x.bytes()};
      return;
    }
    copy_ = ir::Tensor(type);
    kernels::strided_copy(copy, term.x.bytes(), copy_.bytes());
    view_ = copy_;
  }
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  const ir::TensorView& view() const { return view_; }

 private:
  ir::Tensor copy_;
  ir::TensorView view_;
};

std::int64_t elements(const ir::kernels::Labelled& axes, const ir::kernels::Labels& labels) {
  return axes.extents_of(labels).elements();
}

template <class T>
void sum_lines(std::span<const T> x, std::span<T> y) {
  using A = std::conditional_t<std::is_integral_v<T>, std::uint64_t, ir::compute_t<T>>;  // integers wrap
  const auto length = static_cast<std::int64_t>(x.size() / y.size());
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, length));
  parallel_for(static_cast<std::int64_t>(y.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T* const line = x.data() + i * length;
      y[static_cast<std::size_t>(i)] =
          static_cast<T>(kernels::sum(length, [line](std::int64_t k) { return static_cast<A>(line[k]); }));
    }
  });
}

}  // namespace

void sum_over(const Term& x, const ir::kernels::Labels& labels, const ir::MutableView& y) {
  if (y.elements() == 0) return;
  ir::kernels::Labels summed;
  for (const ir::kernels::Label label : x.axes.labels)
    if (std::ranges::find(labels, label) == labels.end()) summed.push_back(label);
  const Arranged lines(x, joined(labels, summed), {y.elements(), elements(x.axes, summed)});
  if (summed.empty()) {
    ir::raw::copy_bytes(lines.view().bytes(), y.bytes());
    return;
  }
  ir::visit_number(y.dtype(), [&]<class T>(T) { sum_lines<T>(lines.view().as<T>(), y.as<T>()); });
}

void contract(const Term& a, const Term& b, const ir::kernels::Labels& labels, const ir::MutableView& y) {
  if (y.elements() == 0) return;
  const ir::kernels::Contraction kinds(a.axes, b.axes, labels);
  const std::int64_t batch = elements(a.axes, kinds.batch), m = elements(a.axes, kinds.rows);
  const std::int64_t n = elements(b.axes, kinds.columns), k = elements(a.axes, kinds.summed);
  const Arranged left(a, joined(joined(kinds.batch, kinds.rows), kinds.summed), {batch, m, k});
  const auto upright = joined(joined(kinds.batch, kinds.summed), kinds.columns);
  const auto turned = joined(joined(kinds.batch, kinds.columns), kinds.summed);
  const bool transposed = b.axes.arranged(b.x.dtype(), turned).is_plain();
  const Arranged right(b, transposed ? turned : upright, transposed ? ir::Shape{batch, n, k} : ir::Shape{batch, k, n});
  if (labels == kinds.result())
    return matrix_product({left.view()}, {right.view(), transposed}, {{y.dtype(), {batch, m, n}}, y.bytes()});
  ir::Tensor product({y.dtype(), {batch, m, n}});
  matrix_product({left.view()}, {right.view(), transposed}, product.view());
  ir::Shape shape;
  for (const ir::kernels::Label label : kinds.result())
    shape.push_back(std::max(a.axes.extent(label), b.axes.extent(label)));
  kernels::strided_copy(ir::kernels::dense(kinds.result(), shape).arranged(y.dtype(), labels), product.bytes(),
                        y.bytes());
}

}  // namespace plumb::ref_cpu::gemm
