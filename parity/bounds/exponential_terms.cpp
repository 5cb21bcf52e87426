// Errors of exponentials over a line and of the logarithm of their sum, for softmax and its relatives.
#include "parity/bounds/exponential_terms.hpp"

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"

namespace plumb::parity::bounds {

Exponentials exponentials(const Node& part, Real x, Real top, Real weights, const std::vector<std::int64_t>& axes,
                          std::int64_t count) {
  const double of_exp = formulas::error_of(ir::ops::UnaryFunction::exp);
  const SumSpread spread = spread_of(part, count, true);
  Exponentials terms;
  terms.depth = finite_or_zero(abs(x - top));
  // The square of a depth beside which the exponential is 0 may leave the range of f64.
  terms.variance = square(min(terms.depth, part.builder.constant(0x1p500))) + of_exp * of_exp;
  terms.most = formulas::error_of_exponential(terms.depth);
  const Real squares = square(weights);
  terms.own = squares * terms.variance;
  terms.of_sum = sum(terms.own, axes) + spread.of_squares * sum(squares, axes) + spread.of_square;
  terms.most_of_sum = sum(weights * terms.most, axes) + spread.certain;
  terms.sum_size = spread.of_size;
  return terms;
}

Bound log_error(const Node& part, const Exponentials& terms, Real log_of_sum) {
  const double u = part.unit();
  const Real most = u * terms.most_of_sum;
  return Bound{min((part.lambda() * u) * sqrt(terms.of_sum), most), most} +
         both(u * (formulas::error_of_log(log_of_sum) + terms.sum_size));
}

}  // namespace plumb::parity::bounds
