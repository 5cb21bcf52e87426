#include "ir/ops/softmax.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/exponential_terms.hpp"
#include "parity/bounds/formulas.hpp"

namespace plumb::parity::bounds {
namespace {

/// An element's own exponential is off by what it is at most; those of the others, and their sum, as chance has it.
Bound rounding(const ir::ops::Softmax& op, const Node& node) {
  const Node part = node.with_sum(ir::SumName::row_sum);
  const Real x = node.in[0], y = finite_or_zero(node.y());
  const Real top = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {op.axis}, true}, {x});
  const Exponentials terms = exponentials(part, x, top, y, {op.axis}, x.shape()[x.shape().axis(op.axis)]);
  const double u = node.unit();
  const Real none = node.builder.constant(0);
  const Real own = formulas::own_share(y, terms.most);
  const Real fixed = node.builder.constant(formulas::roundings_of_share + terms.sum_size);
  const Real chance = node.lambda() * sqrt(max(terms.of_sum - terms.own, none));
  const Real certain = u * (y * (terms.most + terms.most_of_sum + fixed));
  return {min(u * (y * (own + chance + fixed)), certain), certain};
}

}  // namespace

Model error_model(const ir::ops::Softmax& op) {
  Model model{.rounding = [op](const Node& node) { return rounding(op, node); },
              .carried =
                  [op](const Node& node, const Errors& errors) {
                    const Real e = *errors[0], y = node.y();
                    return y * (e + sum(finite_or_zero(y * e), {op.axis}));
                  }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds
