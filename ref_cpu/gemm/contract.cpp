// Contracts labelled tensors as batched matrix products; what is not dense in the right order is copied first.
#include "ref_cpu/gemm/contract.hpp"

#include <algorithm>

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

using ir::kernels::Contraction;
using ir::kernels::Labelled;
using ir::kernels::Labels;

Labels joined(const Labels& a, const Labels& b) {
  Labels both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// The elements of a term as they are arranged, in scratch where that takes a copy.
class Arranged {
 public:
  Arranged(const Arrangement& plan, const kernels::Elements& x) : elements_(x) {
    if (!plan.copy) return;
    copy_.resize(plan.bytes);
    kernels::strided_copy(*plan.copy, x.bytes(), copy_);
    elements_ = {x.dtype(), copy_};
  }
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  const kernels::Elements& elements() const { return elements_; }

 private:
  ScratchRoom<std::byte> copy_;
  kernels::Elements elements_;
};

std::int64_t elements(const Labelled& axes, const Labels& labels) { return axes.extents_of(labels).elements(); }

Labels summed_labels(const Labelled& axes, const Labels& kept) {
  Labels summed;
  for (const ir::kernels::Label label : axes.labels)
    if (!ir::kernels::contains(kept, label)) summed.push_back(label);
  return summed;
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

Labels upright(const Contraction& kinds) { return joined(joined(kinds.batch, kinds.summed), kinds.columns); }
Labels turned(const Contraction& kinds) { return joined(joined(kinds.batch, kinds.columns), kinds.summed); }

ProductPlan product_of(const Term& a, const Term& b, const Contraction& kinds, bool transposed) {
  const std::int64_t batch = elements(a.axes, kinds.batch), m = elements(a.axes, kinds.rows);
  const std::int64_t n = elements(b.axes, kinds.columns), k = elements(a.axes, kinds.summed);
  return {{batch, m, k}, false, transposed ? ir::Shape{batch, n, k} : ir::Shape{batch, k, n}, {batch, m, n}};
}

}  // namespace

Arrangement::Arrangement(const Term& term, const Labels& order)
    : bytes(ir::TensorType{term.dtype, term.axes.extents_of(order)}.bytes()) {
  const auto arranged = term.axes.arranged(term.dtype, order);
  const std::size_t whole = static_cast<std::size_t>(term.count) * ir::info(term.dtype).bytes;
  if (!arranged.is_plain() || whole != bytes) copy.emplace(arranged);
}

LabelSum::LabelSum(const Term& x, const Labels& labels)
    : lines_(x, joined(labels, summed_labels(x.axes, labels))), sums_(!summed_labels(x.axes, labels).empty()) {}

void LabelSum::run(const kernels::Elements& x, const kernels::MutableElements& y) const {
  if (y.bytes().empty()) return;
  const Arranged lines(lines_, x);
  if (!sums_) {
    ir::raw::copy_bytes(lines.elements().bytes(), y.bytes());
    return;
  }
  ir::visit_number(y.dtype(), [&]<class T>(T) { sum_lines<T>(lines.elements().as<T>(), y.as<T>()); });
}

LabelProduct::LabelProduct(const Term& a, const Term& b, const Labels& labels)
    : LabelProduct(a, b, labels, Contraction(a.axes, b.axes, labels)) {}

LabelProduct::LabelProduct(const Term& a, const Term& b, const Labels& labels, const Contraction& kinds)
    : transposed_(b.axes.arranged(b.dtype, turned(kinds)).is_plain()),
      left_(a, joined(joined(kinds.batch, kinds.rows), kinds.summed)),
      right_(b, transposed_ ? turned(kinds) : upright(kinds)),
      product_(product_of(a, b, kinds, transposed_)) {
  if (labels == kinds.result()) return;
  ir::Shape shape;
  for (const ir::kernels::Label label : kinds.result())
    shape.push_back(std::max(a.axes.extent(label), b.axes.extent(label)));
  back_.emplace(ir::kernels::dense(kinds.result(), shape).arranged(a.dtype, labels));
}

void LabelProduct::run(const kernels::Elements& a, const kernels::Elements& b,
                       const kernels::MutableElements& y) const {
  if (y.bytes().empty()) return;
  const Arranged left(left_, a), right(right_, b);
  const Factor of_a{left.elements()}, of_b{right.elements(), transposed_};
  if (!back_) return matrix_product(product_, of_a, of_b, y);
  ScratchRoom<std::byte> product(y.bytes().size());
  matrix_product(product_, of_a, of_b, kernels::MutableElements(y.dtype(), product));
  kernels::strided_copy(*back_, product, y.bytes());
}

}  // namespace plumb::ref_cpu::gemm
