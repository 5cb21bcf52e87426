// Formulas of limits as nodes of a graph: a tensor type with operators, and the builder behind it.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "ir/graph.hpp"

namespace plumb::parity::bounds {

class ExpressionBuilder;

/// A tensor of real f64 numbers in a graph that is being written; arithmetic on it adds nodes,
/// with NumPy's broadcasting.
struct Real {
  ExpressionBuilder* builder = nullptr;
  ir::Value value = 0;

  ir::Shape shape() const;  ///< by value: the graph grows
};

/// Writes formulas as nodes of a graph, for the executor that makes the truth to evaluate: an
/// error model is as fast and as well tested as the ops themselves. What the graph computes already it computes once.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(ir::Graph& graph) : graph_(graph) {}

  Real constant(double x);
  Real constant(std::span<const double> line);
  Real apply(ir::Op op, std::initializer_list<Real> inputs) { return apply(std::move(op), std::vector<Real>(inputs)); }
  Real apply(ir::Op op, const std::vector<Real>& inputs);
  /// Output `k` of an op that has several.
  Real apply(ir::Op op, const std::vector<Real>& inputs, std::size_t k);
  ir::TensorType type(Real x) const { return graph_.type(x.value); }
  /// The node that computes it; null of a source.
  const ir::Node* producer(Real x) const {
    const auto node = graph_.producer(x.value);
    return node ? &graph_.nodes()[*node] : nullptr;
  }

 private:
  ir::Graph& graph_;
  std::size_t named_ = 0;
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
Real operator+(Real a, double b);
Real operator-(Real a, double b);
Real operator*(double a, Real b);
Real operator/(Real a, double b);
Real max(Real a, Real b);
Real min(Real a, Real b);
Real abs(Real x);
Real sqrt(Real x);
Real square(Real x);
Real exp(Real x);
Real tanh(Real x);

/// `x` where it is finite, else 0: of terms that a weight of 0 makes vanish whatever they are.
Real finite_or_zero(Real x);

/// `x` stretched to a shape it broadcasts to, and with the same elements in another.
Real filled(Real x, const ir::Shape& shape);
Real reshaped(Real x, const ir::Shape& shape);

/// A real x with what it had along one axis of `shape`, for arithmetic with tensors of that shape: [C] as [C, 1, 1].
Real along(Real x, std::int64_t axis, const ir::Shape& shape);

/// Sums over axes, which stay with extent 1.
Real sum(Real x, std::vector<std::int64_t> axes);

/// The part of `x` between two positions of an axis.
Real part(Real x, std::int64_t axis, std::int64_t from, std::int64_t to);

}  // namespace plumb::parity::bounds
