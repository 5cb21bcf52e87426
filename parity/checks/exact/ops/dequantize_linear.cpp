// Exactness of dequantising: a code times a scale less its zero point times that, or a float code times a scale.
#include "ir/ops/dequantize_linear.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::DequantizeLinear& op, ir::Types, ir::Types) {
  if (op.code != ir::kernels::CodeFormat::integer) return rounds("the numbers of float codes are not analysed");
  if (!op.has_zero_point) return adds({{.operands = {0, 1}}});
  return adds({{.operands = {0, 1}}, {.operands = {2, 1}}});
}

}  // namespace plumb::parity::checks::exact
