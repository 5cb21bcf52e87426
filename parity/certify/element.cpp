#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "parity/certify/certify.hpp"

namespace plumb::parity::certify {
namespace {

namespace ops = ir::ops;
using Operands = std::vector<ir::Tensor>;
using Index = std::vector<std::int64_t>;

Index index_of(std::size_t flat, const ir::Shape& shape) {
  Index index(shape.size());
  auto rest = static_cast<std::int64_t>(flat);
  for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
  return index;
}

/// The element of x that is broadcast to `index`.
double at(const ir::Tensor& x, const Index& index) {
  const auto strides = x.shape().strides();
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis)
    if (x.shape()[axis] != 1) place += strides[axis] * index[index.size() - x.shape().size() + axis];
  return x.as<double>()[static_cast<std::size_t>(place)];
}

DoubleDouble dot(const ir::Tensor& a, const ir::Tensor& b, const Index& y, bool transpose_a, bool transpose_b) {
  const std::size_t m = y.size() - 2, n = y.size() - 1;
  const auto& extents = a.shape();
  const std::int64_t terms = extents[extents.size() - (transpose_a ? 2 : 1)];
  DoubleDouble sum;
  Index of_a = y, of_b = y;
  for (std::int64_t k = 0; k < terms; ++k) {
    of_a[m] = transpose_a ? k : y[m], of_a[n] = transpose_a ? y[m] : k;
    of_b[m] = transpose_b ? y[n] : k, of_b[n] = transpose_b ? k : y[n];
    sum = sum + exact_product(at(a, of_a), at(b, of_b));
  }
  return sum;
}

DoubleDouble element(const ops::Matmul& op, const Operands& x, const Index& y) {
  return dot(x[0], x[1], y, op.transpose_a, op.transpose_b);
}

DoubleDouble element(const ops::Gemm& op, const Operands& x, const Index& y) {
  const DoubleDouble product = dot(x[0], x[1], y, op.transpose_a, op.transpose_b) * op.alpha;
  return op.has_c ? product + exact_product(at(x[2], y), op.beta) : product;
}

DoubleDouble element(const ops::Conv& op, const Operands& x, const Index& y) {
  const ir::Shape &image = x[0].shape(), &w = x[1].shape();
  const auto axes = op.axes(image, w);
  const std::int64_t group = y[1] * op.group / w[0];
  DoubleDouble sum = op.has_bias ? DoubleDouble(at(x[2], {y[1]})) : DoubleDouble();
  const ir::Shape taps(std::vector<std::int64_t>(w.begin() + 1, w.end()));  // channels of the group, then the kernel
  for (std::int64_t t = 0; t < taps.elements(); ++t) {
    const Index tap = index_of(static_cast<std::size_t>(t), taps);
    Index of_x = {y[0], group * w[1] + tap[0]}, of_w = {y[1], tap[0]};
    bool inside = true;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::int64_t place = y[a + 2] * axes[a].stride - axes[a].pad_begin + tap[a + 1] * axes[a].dilation;
      inside &= place >= 0 && place < image[a + 2];
      of_x.push_back(place), of_w.push_back(tap[a + 1]);
    }
    if (inside) sum = sum + exact_product(at(x[0], of_x), at(x[1], of_w));
  }
  return sum;
}

std::optional<DoubleDouble> element(const ops::Reduce& op, const Operands& x, const Index& y) {
  if (op.function != ops::ReduceFunction::sum && op.function != ops::ReduceFunction::mean) return {};
  const ir::Shape& shape = x[0].shape();
  const auto gone = op.reduced(shape);
  ir::Shape summed;  // the extents of the axes that are gone
  Index of_x(shape.size());
  for (std::size_t axis = 0, kept = 0; axis < shape.size(); ++axis) {
    if (gone[axis])
      summed.push_back(shape[axis]);
    else
      of_x[axis] = y[kept];
    kept += !gone[axis] || op.keep_dims;
  }
  DoubleDouble sum;
  const auto terms = static_cast<double>(summed.elements());
  for (std::size_t t = 0; t < static_cast<std::size_t>(summed.elements()); ++t) {
    const Index term = index_of(t, summed);
    for (std::size_t axis = 0, next = 0; axis < shape.size(); ++axis)
      if (gone[axis]) of_x[axis] = term[next++];
    sum = sum + DoubleDouble(at(x[0], of_x));
  }
  if (op.function == ops::ReduceFunction::sum) return sum;
  const double mean = sum.high / terms;
  return DoubleDouble(mean, (std::fma(-mean, terms, sum.high) + sum.low) / terms);
}

}  // namespace

std::optional<DoubleDouble> element_of(const ir::Op& op, const Operands& operands, std::size_t index) {
  ir::TensorTypes in;
  for (const ir::Tensor& x : operands) in.push_back(x.type());
  const Index y = index_of(index, ir::infer(op, in).at(0).shape);
  if (op.is<ops::Matmul>()) return element(op.as<ops::Matmul>(), operands, y);
  if (op.is<ops::Gemm>()) return element(op.as<ops::Gemm>(), operands, y);
  if (op.is<ops::Conv>()) return element(op.as<ops::Conv>(), operands, y);
  if (op.is<ops::Reduce>()) return element(op.as<ops::Reduce>(), operands, y);
  return {};
}

}  // namespace plumb::parity::certify
