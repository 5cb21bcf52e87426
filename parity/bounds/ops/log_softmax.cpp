#include "ir/ops/log_softmax.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/exponential_terms.hpp"
#include "parity/bounds/formulas.hpp"

namespace plumb::parity::bounds {
namespace {

/// That of the logarithm of the sum, and the rounding of the element's own difference from the largest.
Bound rounding(const ir::ops::LogSoftmax& op, const Node& node) {
  const Node part = node.with_sum(ir::SumName::row_sum);
  const Real x = node.in[0], y = node.y();
  const Real top = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {op.axis}, true}, {x});
  const Exponentials terms = exponentials(part, x, top, exp(y), {op.axis}, x.shape()[x.shape().axis(op.axis)]);
  const Bound of_log = log_error(part, terms, x - top - y);
  const Bound error = of_log + both(node.unit() * formulas::roundings_of_difference(terms.depth, y));
  return {finite_or_zero(error.probable), finite_or_zero(error.certain)};
}

}  // namespace

Model error_model(const ir::ops::LogSoftmax& op) {
  Model model{.rounding = [op](const Node& node) { return rounding(op, node); },
              .carried =
                  [op](const Node& node, const Errors& errors) {
                    return *errors[0] + sum(finite_or_zero(exp(node.y()) * *errors[0]), {op.axis});
                  }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds
