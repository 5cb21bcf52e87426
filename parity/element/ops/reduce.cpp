// Reductions of the elements along the axes.
#include "ir/ops/reduce.hpp"

#include <algorithm>
#include <limits>

#include "parity/element/lines.hpp"

namespace plumb::parity::element {
namespace {

using ReduceF = ir::ops::ReduceFunction;
constexpr long double infinite = std::numeric_limits<long double>::infinity();

std::vector<Number> numbers_of(const ir::ops::Reduce& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  std::vector<bool> is_reduced(rank, false);
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : op.axes) is_reduced[axis_of(axis, rank)] = true;
  Position in_x(rank, 0);
  for (std::size_t axis = 0, next = 0; axis < rank; ++axis) {
    if (is_reduced[axis]) axes.push_back(axis);
    if (!is_reduced[axis]) in_x[axis] = call.at(next);
    if (!is_reduced[axis] || op.keep_dims) ++next;
  }
  std::vector<Number> numbers;
  for (const Position& at : line_of(call, in_x, axes)) numbers.push_back(call.number(0, at));
  return numbers;
}

/// The largest number of an integer type, or the smallest.
std::int64_t end_of(ir::DType dtype, bool is_largest) {
  const int bits = 8 * static_cast<int>(ir::info(dtype).bytes);
  if (dtype == ir::DType::boolean) return is_largest ? 1 : 0;
  if (!ir::is_signed(dtype)) return is_largest ? (std::int64_t{1} << bits) - 1 : 0;
  const auto most = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - bits));
  return is_largest ? most : -most - 1;
}

Number of_integers(ReduceF function, ir::DType dtype, const std::vector<Number>& numbers) {
  std::int64_t least = end_of(dtype, true), most = end_of(dtype, false);
  std::uint64_t sum = 0, product = 1, sizes = 0, squares = 0;
  for (const Number& number : numbers) {
    const std::int64_t x = whole(number);
    const auto bits = static_cast<std::uint64_t>(x);
    least = std::min(least, x);
    most = std::max(most, x);
    sum += bits;
    product *= bits;
    squares += bits * bits;
    sizes += x < 0 ? -bits : bits;
  }
  switch (function) {
    case ReduceF::max:
      return {Real(most)};
    case ReduceF::min:
      return {Real(least)};
    case ReduceF::sum:
      return wrap(dtype, sum);
    case ReduceF::product:
      return wrap(dtype, product);
    case ReduceF::l1:
      return wrap(dtype, sizes);
    case ReduceF::sum_square:
      return wrap(dtype, squares);
    default:
      throw NoAnswer{};
  }
}

Real extreme_of(ReduceF function, const std::vector<Number>& numbers) {
  Real y(function == ReduceF::max ? -infinite : infinite);
  for (const Number& x : numbers) y = function == ReduceF::max ? maximum(y, x.re) : minimum(y, x.re);
  return y;
}

Real log_sum_exp_of(const std::vector<Number>& numbers) {
  const Real top = extreme_of(ReduceF::max, numbers);
  if (!std::isfinite(top.value)) return top;
  Sum sum;
  for (const Number& x : numbers) sum.add(exp(x.re - top));
  return top + log(sum.total());
}

/// In the unit of the largest magnitude: squares of f64 numbers leave its range, and the norm need not.
Real norm_of(const std::vector<Number>& numbers) {
  std::vector<Real> line;
  for (const Number& x : numbers) line.push_back(x.re);
  const Real unit = unit_of(line);
  Sum sum;
  for (const Real x : line) sum.add(x / unit, x / unit);
  const Real total = sum.total();
  return total.value == 0 ? Real(0) : sqrt(total) * unit;
}

/// The logarithm of a sum that may be 0 or below within its uncertainty is not known.
Real log_of(Real sum) {
  if (sum.off > 0 && std::fabs(sum.value) <= sum.off && sum.value != 0) throw NoAnswer{};
  return log(sum);
}

Real of_reals(ReduceF function, const std::vector<Number>& numbers) {
  if (function == ReduceF::max || function == ReduceF::min) return extreme_of(function, numbers);
  if (function == ReduceF::log_sum_exp) return log_sum_exp_of(numbers);
  if (function == ReduceF::l2) return norm_of(numbers);
  if (function == ReduceF::product) {
    Product product;
    for (const Number& x : numbers) product.take(x.re);
    return product.total();
  }
  Sum sum;
  for (const Number& x : numbers)
    if (function == ReduceF::sum_square)
      sum.add(x.re, x.re);
    else
      sum.add(function == ReduceF::l1 ? abs(x.re) : x.re);
  const Real total = sum.total();
  if (function == ReduceF::mean) return total / Real(static_cast<long double>(numbers.size()));
  return function == ReduceF::log_sum ? log_of(total) : total;
}

}  // namespace

Number element(const ir::ops::Reduce& op, const Call& call) {
  const std::vector<Number> numbers = numbers_of(op, call);
  const ir::DType dtype = call.dtype_in(0);
  if (ir::is_complex(dtype)) {
    ComplexSum sum;
    for (const Number& x : numbers) sum.add(x);
    const Number total = sum.total();
    if (op.function == ReduceF::sum) return total;
    const Real count(static_cast<long double>(numbers.size()));
    return {total.re / count, total.im / count};
  }
  return ir::is_float(dtype) ? Number(of_reals(op.function, numbers)) : of_integers(op.function, dtype, numbers);
}

}  // namespace plumb::parity::element
