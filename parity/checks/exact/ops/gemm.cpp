// Exactness of ONNX's Gemm: sums of products with alpha and beta as factors of the terms.
#include "ir/ops/gemm.hpp"

#include <cmath>

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Gemm& op, ir::Types in, ir::Types out) {
  std::vector<Term> terms = {{.operands = {0, 1}, .count = terms_of(op, in, out), .factor = op.alpha}};
  if (op.has_c) terms.push_back({.operands = {2}, .factor = op.beta});
  ir::ops::Gemm sizes = op;
  sizes.alpha = std::abs(sizes.alpha);
  sizes.beta = std::abs(sizes.beta);
  return adds_up(sizes, terms);
}

}  // namespace plumb::parity::checks::exact
