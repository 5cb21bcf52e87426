// Exactness of binary functions: sums, differences, products and mod of whole numbers; all others round.
#include "ir/ops/binary.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Binary& op, ir::Types, ir::Types) {
  switch (op.function) {
    case ir::ops::BinaryFunction::add:
    case ir::ops::BinaryFunction::subtract:
    case ir::ops::BinaryFunction::mod:  // a - b floor(a / b), no larger than b
      return adds({{.operands = {0}}, {.operands = {1}}});
    case ir::ops::BinaryFunction::multiply:
      return adds({{.operands = {0, 1}}});
    default:
      return rounds(ir::cat(ir::enum_name(op.function), " is rounded"));
  }
}

}  // namespace plumb::parity::checks::exact
