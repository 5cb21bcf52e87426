// Contracts two labelled tensors as a batched matrix product, read in place where strides allow and copied where not.
#include "gpu_vulkan/kernels/gemm/contract.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"
#include "gpu_vulkan/kernels/rows/reduction.hpp"
#include "ir/ops/binary.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

using ir::kernels::Labels;

Labels joined(const Labels& a, const Labels& b) {
  Labels both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

Labels ordered_as(const std::vector<ir::kernels::Label>& order, const Labels& some) {
  Labels labels;
  for (const ir::kernels::Label label : order)
    if (std::ranges::find(some, label) != some.end()) labels.push_back(label);
  return labels;
}

plan::Slot scratch_for(std::int64_t elements, ir::DType dtype, plan::Lowering& node) {
  node.needs(elements < std::int64_t{1} << 31, "an intermediate tensor has ", elements, " elements, 2^31 or more");
  return node.scratch(static_cast<std::size_t>(elements) * ir::info(dtype).bytes);
}

/// The term with its axes in an order, dense: itself where it is so, else a copy.
Term arranged(const Term& x, ir::DType dtype, const Labels& order, plan::Lowering& node) {
  const auto copy = x.axes.arranged(dtype, order);
  const ir::Shape extents = x.axes.extents_of(order);
  Term made{x.slot, ir::kernels::dense(order, extents)};
  if (copy.is_plain() || copy.elements() == 0) return made;
  made.slot = scratch_for(extents.elements(), dtype, node);
  copy::strided_copy(copy, x.slot, made.slot, node);
  return made;
}

/// Several axes as one: its extent and how far apart its elements are, where that is one distance.
struct Axis {
  std::int64_t extent = 1, stride = 0;
};
std::optional<Axis> as_axis(const ir::kernels::Labelled& x, const Labels& labels) {
  Axis axis;
  for (std::size_t i = labels.size(); i-- > 0;) {
    const std::int64_t extent = x.extent(labels[i]), stride = x.stride(labels[i]);
    if (i + 1 == labels.size())
      axis.stride = stride;
    else if (stride != axis.stride * axis.extent)
      return std::nullopt;
    axis.extent *= extent;
  }
  return axis;
}

/// A term as matrices: lines of neighbours, of columns or, transposed, of rows.
struct Lines {
  bool transposed;
  std::int64_t apart;
};
std::optional<Lines> as_matrix(const ir::kernels::Labelled& x, const Labels& rows, const Labels& columns) {
  const auto r = as_axis(x, rows), c = as_axis(x, columns);
  if (!r || !c) return std::nullopt;
  if (c->extent == 1 || c->stride == 1) return Lines{false, r->extent == 1 ? c->extent : r->stride};
  if (r->extent == 1 || r->stride == 1) return Lines{true, c->stride};
  return std::nullopt;
}

/// The batch axes of a product, those joined that both operands walk as one.
void add_batch(const Labels& labels, const ir::kernels::Labelled& a, const ir::kernels::Labelled& b, Gemm& product) {
  for (const ir::kernels::Label label : labels) {
    const std::int64_t extent = a.extent(label), of_a = a.stride(label), of_b = b.stride(label);
    const bool joins = !product.batch.empty() && product.a_strides.back() == of_a * extent &&
                       product.b_strides.back() == of_b * extent;
    if (joins) {
      product.batch.back() *= extent;
      product.a_strides.back() = of_a;
      product.b_strides.back() = of_b;
    } else {
      product.batch.push_back(extent);
      product.a_strides.push_back(of_a);
      product.b_strides.push_back(of_b);
    }
  }
}

/// Nothing is summed: y = a·b, broadcast.
void multiply(const Term& a, const Term& b, ir::DType dtype, const Target& y, plan::Lowering& node) {
  const Term left = arranged(a, dtype, ordered_as(y.labels, a.axes.labels), node);
  const Term right = arranged(b, dtype, ordered_as(y.labels, b.axes.labels), node);
  ir::Shape result;
  for (const ir::kernels::Label label : y.labels)
    result.push_back(std::max(a.axes.extent(label), b.axes.extent(label)));
  common::publish({.of = ir::SumName::product}, dtype, node);  // products of one term: nothing is added
  elementwise::elementwise({.shader = ir::cat("binary.", dtype),
                            .pack = elementwise::pack_size(dtype),
                            .constants = {{"function", ir::ops::BinaryFunction::multiply}},
                            .operands = {},
                            .kind = plan::Elementwise::binary},
                           {.reads = {left.slot, right.slot},
                            .shapes = {a.axes.extents_of(y.labels), b.axes.extents_of(y.labels)},
                            .write = y.slot,
                            .result = result},
                           node);
}

/// The labels that are summed in an order in which both operands can be read in place, if
/// there is one, else in that of a.
Labels summed_in_place(const Term& a, const Term& b, const ir::kernels::Contraction& kinds) {
  for (const ir::kernels::Labelled* x : {&a.axes, &b.axes}) {
    Labels order = kinds.summed;
    std::ranges::stable_sort(order,
                             [x](ir::kernels::Label i, ir::kernels::Label j) { return x->stride(i) > x->stride(j); });
    if (as_matrix(a.axes, kinds.rows, order) && as_matrix(b.axes, order, kinds.columns)) return order;
  }
  return kinds.summed;
}

/// As matrices of rows by columns of the batch: in place, or a copy with neighbours where they were.
Term as_matrices(const Term& x, ir::DType dtype, const Labels& batch, const Labels& rows, const Labels& columns,
                 bool in_place, plan::Lowering& node) {
  if (in_place && as_matrix(x.axes, rows, columns)) return x;
  const bool rows_inside =
      std::ranges::any_of(rows, [&](ir::kernels::Label label) { return x.axes.stride(label) == 1; });
  return arranged(x, dtype, joined(batch, rows_inside ? joined(columns, rows) : joined(rows, columns)), node);
}

/// y with its axes as batch, rows, columns, whatever its labels say. Where terms are not added in the order of the
/// contract, nothing is said of how.
void multiply_matrices(const Term& a, const Term& b, ir::DType dtype, const ir::kernels::Contraction& kinds,
                       const Target& y, plan::Lowering& node) {
  const Labels summed = summed_in_place(a, b, kinds);
  Gemm probe;
  add_batch(kinds.batch, a.axes, b.axes, probe);
  const bool in_place = probe.batch.size() <= most_batch_axes;
  const Term left = as_matrices(a, dtype, kinds.batch, kinds.rows, summed, in_place, node);
  const Term right = as_matrices(b, dtype, kinds.batch, summed, kinds.columns, in_place, node);
  const auto of_a = *as_matrix(left.axes, kinds.rows, summed), of_b = *as_matrix(right.axes, summed, kinds.columns);
  Gemm product;
  product.m = a.axes.extents_of(kinds.rows).elements();
  product.n = b.axes.extents_of(kinds.columns).elements();
  product.k = a.axes.extents_of(summed).elements();
  product.transpose_a = of_a.transposed;
  product.transpose_b = of_b.transposed;
  product.lda = of_a.apart;
  product.ldb = of_b.apart;
  product.sums_in_f16 = y.sums_in_f16;
  add_batch(kinds.batch, left.axes, right.axes, product);
  const std::size_t published = node.choice().sums.size();
  lower_gemm(product, {left.slot, right.slot, left.slot, y.slot, dtype, dtype}, node);
  if (summed != y.summed) node.forget_sums(published);
}

}  // namespace

void sum_over(const Term& x, ir::DType dtype, const Target& y, plan::Lowering& node) {
  Labels summed;
  for (const ir::kernels::Label label : x.axes.labels)
    if (std::ranges::find(y.labels, label) == y.labels.end()) summed.push_back(label);
  if (summed.empty()) return copy::strided_copy(x.axes.arranged(dtype, y.labels), x.slot, y.slot, node);
  Labels order = x.axes.labels;  // as x lies in memory, if the result's axes come in that order
  std::ranges::stable_sort(
      order, [&](ir::kernels::Label i, ir::kernels::Label j) { return x.axes.stride(i) > x.axes.stride(j); });
  if (ordered_as(order, y.labels) != y.labels) order = joined(y.labels, summed);
  const Term dense = arranged(x, dtype, order, node);
  std::vector<bool> reduced;
  for (const ir::kernels::Label label : order) reduced.push_back(std::ranges::find(summed, label) != summed.end());
  rows::reduce(ir::ops::ReduceFunction::sum, {dtype, dense.axes.extents_of(order)}, reduced, dense.slot, y.slot, node);
}

void contract(const Term& a, const Term& b, ir::DType dtype, const Target& target, plan::Lowering& node) {
  const ir::kernels::Contraction kinds(a.axes, b.axes, target.labels);
  Target y = target;
  if (y.summed.empty()) y.summed = kinds.summed;
  if (kinds.summed.empty() && dtype != ir::DType::c128) return multiply(a, b, dtype, y, node);
  const Labels canonical = kinds.result();
  if (y.labels == canonical) return multiply_matrices(a, b, dtype, kinds, y, node);
  const ir::kernels::Contraction mirrored(b.axes, a.axes, y.labels);
  if (y.labels == mirrored.result()) return multiply_matrices(b, a, dtype, mirrored, y, node);
  ir::Shape shape;
  for (const ir::kernels::Label label : canonical)
    shape.push_back(std::max(a.axes.extent(label), b.axes.extent(label)));
  const Target product{scratch_for(shape.elements(), dtype, node), canonical, y.sums_in_f16, y.summed};
  multiply_matrices(a, b, dtype, kinds, product, node);
  copy::strided_copy(ir::kernels::dense(canonical, shape).arranged(dtype, y.labels), product.slot, y.slot, node);
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
