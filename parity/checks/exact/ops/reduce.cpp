// Exactness of reductions: sums, sums of squares, and means of a power of two of elements.
#include "ir/ops/reduce.hpp"

#include "ir/kernels/op_loops.hpp"
#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Reduce& op, ir::Types in, ir::Types out) {
  const auto count = terms_of(op, in, out);
  switch (op.function) {
    case ir::ops::ReduceFunction::sum:
    case ir::ops::ReduceFunction::l1:
      return adds_up(op, {{.operands = {0}, .count = count}});
    case ir::ops::ReduceFunction::sum_square:
      return adds_up(op, {{.operands = {0, 0}, .count = count}});
    case ir::ops::ReduceFunction::mean:
      return mean(op, count);
    case ir::ops::ReduceFunction::product:
      return rounds(std::string(ir::kernels::partial_products));
    default:
      return rounds("roots and logarithms are rounded");
  }
}

}  // namespace plumb::parity::checks::exact
