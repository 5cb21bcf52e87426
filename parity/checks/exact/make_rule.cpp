// Rules of exact arithmetic as ops state them: products, sums, means by powers of two, or why a result rounds.
#include "parity/checks/exact/make_rule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/kernels/op_loops.hpp"

namespace plumb::parity::checks::exact {

using Arithmetic = Rule::Arithmetic;

Rule rounds(std::string why) { return {.arithmetic = Arithmetic::rounds, .why = std::move(why)}; }

Rule adds(std::vector<Term> terms) { return {.arithmetic = Arithmetic::sums, .terms = std::move(terms)}; }

Rule adds_up(const ir::Op& op, std::vector<Term> terms) {
  return {.arithmetic = Arithmetic::sums, .terms = std::move(terms), .sums_of = op};
}

Rule mean(const ir::Op& sum, std::int64_t divisor) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(divisor)))
    return rounds(ir::cat("divides by ", divisor, ", which is no power of two"));
  Rule rule = adds_up(sum, {{.operands = {0}, .count = divisor}});
  rule.divisor = divisor;
  return rule;
}

Rule fourier(std::int64_t points, double scale) {
  if (4 % points != 0) return rounds("roots of unity are rounded");
  int exponent = 0;
  if (std::frexp(scale, &exponent) != 0.5) return rounds("the scale is rounded");
  // A part of an element may be the sum of both parts of all points on the way.
  return {.arithmetic = Arithmetic::sums,
          .terms = {{.operands = {0}, .count = 2 * points}},
          .divisor = std::int64_t{1} << (1 - exponent)};
}

Rule scattered(const ir::Op& op, ir::Types in, ir::Types out) {
  if (op.error_class() != ir::ErrorClass::dot) return rounds(std::string(ir::kernels::partial_products));
  return adds_up(op, {{.operands = {0}}, {.operands = {2}, .count = terms_of(op, in, out)}});
}

std::int64_t terms_of(const ir::Op& op, ir::Types in, ir::Types out) {
  return std::max<std::int64_t>(op.schema().cost(op, in, out).contraction, 1);
}

}  // namespace plumb::parity::checks::exact
