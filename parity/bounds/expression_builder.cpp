// Arithmetic on tensors that adds nodes to a graph, so that an executor evaluates the formulas of limits.
#include "parity/bounds/expression_builder.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/classify.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::BinaryFunction;
using ir::ops::UnaryFunction;

Real binary(BinaryFunction function, Real a, Real b) { return a.builder->apply(ir::ops::Binary{function}, {a, b}); }

Real unary(UnaryFunction function, Real x) { return x.builder->apply(ir::ops::Unary{function}, {x}); }

}  // namespace

ir::Shape Real::shape() const { return builder->type(*this).shape; }

Real ExpressionBuilder::constant(double x) { return reshaped(constant(std::span(&x, 1)), {}); }

Real ExpressionBuilder::constant(std::span<const double> line) {
  ir::ops::Constant op{ir::DType::f64, {static_cast<std::int64_t>(line.size())}, {}};
  const auto bytes = std::as_bytes(line);
  op.data.assign(bytes.begin(), bytes.end());
  return apply(op, std::vector<Real>{});
}

Real ExpressionBuilder::apply(ir::Op op, const std::vector<Real>& inputs) { return apply(std::move(op), inputs, 0); }

Real ExpressionBuilder::apply(ir::Op op, const std::vector<Real>& inputs, std::size_t k) {
  std::vector<ir::Value> values;
  for (const Real x : inputs) values.push_back(x.value);
  for (const ir::Node& node : graph_.nodes())  // said before
    if (node.inputs == values && node.op == op) return {this, node.outputs.at(k)};
  return {this, graph_.add_all(ir::free_name(graph_, ir::cat("bound ", named_++)), std::move(op), values).at(k)};
}

Real operator+(Real a, Real b) { return binary(BinaryFunction::add, a, b); }
Real operator-(Real a, Real b) { return binary(BinaryFunction::subtract, a, b); }
Real operator*(Real a, Real b) { return binary(BinaryFunction::multiply, a, b); }
Real operator/(Real a, Real b) { return binary(BinaryFunction::divide, a, b); }
Real operator+(Real a, double b) { return a + a.builder->constant(b); }
Real operator-(Real a, double b) { return a - a.builder->constant(b); }
Real operator*(double a, Real b) { return b.builder->constant(a) * b; }
Real operator/(Real a, double b) { return a / a.builder->constant(b); }
Real max(Real a, Real b) { return binary(BinaryFunction::maximum, a, b); }
Real min(Real a, Real b) { return binary(BinaryFunction::minimum, a, b); }
Real abs(Real x) { return unary(UnaryFunction::abs, x); }
Real sqrt(Real x) { return unary(UnaryFunction::sqrt, x); }
Real square(Real x) { return unary(UnaryFunction::square, x); }
Real exp(Real x) { return unary(UnaryFunction::exp, x); }
Real tanh(Real x) { return unary(UnaryFunction::tanh, x); }

Real finite_or_zero(Real x) {
  const Real finite = x.builder->apply(ir::ops::Classify{ir::ops::FloatClass::is_finite}, {x});
  return x.builder->apply(ir::ops::Where{}, {finite, x, x.builder->constant(0)});
}

Real filled(Real x, const ir::Shape& shape) {
  if (x.shape() == shape) return x;
  return x.builder->apply(ir::ops::Expand{{shape.begin(), shape.end()}}, {x});
}

Real reshaped(Real x, const ir::Shape& shape) {
  if (x.shape() == shape) return x;
  return x.builder->apply(ir::ops::Reshape{{shape.begin(), shape.end()}}, {x});
}

Real along(Real x, std::int64_t axis, const ir::Shape& shape) {
  ir::Shape with_axis{x.shape()[0]};
  with_axis.resize(shape.size() - shape.axis(axis), 1);
  return reshaped(x, with_axis);
}

Real sum(Real x, std::vector<std::int64_t> axes) {
  if (axes.empty()) return x;
  return x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::sum, std::move(axes), true}, {x});
}

Real part(Real x, std::int64_t axis, std::int64_t from, std::int64_t to) {
  return x.builder->apply(ir::ops::Slice{.axes = {axis}, .starts = {from}, .sizes = {to - from}, .steps = {}}, {x});
}

}  // namespace plumb::parity::bounds
