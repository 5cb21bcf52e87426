// Exactness of products with a low-rank correction: sums of products of two and of three numbers.
#include "ir/ops/lora_matmul.hpp"

#include <cmath>

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::LoraMatmul& op, ir::Types in, ir::Types) {
  const std::int64_t terms = in[1].shape[0], rank = in[2].shape[1];
  return adds_up(
      ir::ops::LoraMatmul{std::abs(op.scale)},
      {{.operands = {0, 1}, .count = terms}, {.operands = {0, 2, 3}, .count = terms * rank, .factor = op.scale}});
}

}  // namespace plumb::parity::checks::exact
