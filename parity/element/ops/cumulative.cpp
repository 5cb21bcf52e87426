// Sum, product, maximum or minimum of the elements up to this one, in the order in which the line runs.
#include "ir/ops/cumulative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

using CumulativeF = ir::ops::CumulativeFunction;
constexpr long double beyond_all = std::numeric_limits<long double>::infinity();

/// The result of an empty prefix.
Real neutral_of(CumulativeF function, ir::DType dtype) {
  if (function == CumulativeF::sum) return Real(0);
  if (function == CumulativeF::product) return Real(1);
  const bool is_lowest = function == CumulativeF::max;
  if (!ir::is_integer(dtype)) return is_lowest ? Real(-beyond_all) : Real(beyond_all);
  const int bits = 8 * static_cast<int>(ir::info(dtype).bytes) - (ir::is_signed(dtype) ? 1 : 0);
  if (is_lowest) return ir::is_signed(dtype) ? Real(-std::ldexp(1.0L, bits)) : Real(0);
  return Real(std::ldexp(1.0L, bits) - 1);
}

Number of_integers_so_far(CumulativeF function, ir::DType dtype, const std::vector<Number>& prefix) {
  long double extreme = neutral_of(function, dtype).value;
  std::uint64_t sum = 0, product = 1;
  for (const Number& number : prefix) {
    const auto bits = static_cast<std::uint64_t>(whole(number));
    sum += bits;
    product *= bits;
    extreme = function == CumulativeF::max ? std::max(extreme, number.re.value) : std::min(extreme, number.re.value);
  }
  if (function == CumulativeF::sum) return wrap(dtype, sum);
  return function == CumulativeF::product ? wrap(dtype, product) : Number(Real(extreme));
}

Number of_reals_so_far(CumulativeF function, const std::vector<Number>& prefix) {
  if (prefix.empty()) return neutral_of(function, ir::DType::f64);
  Sum sum;
  Product product;
  Real extreme = prefix.front().re;
  for (const Number& x : prefix) {
    sum.add(x.re);
    if (function == CumulativeF::product) product.take(x.re);
    extreme = function == CumulativeF::max ? maximum(extreme, x.re) : minimum(extreme, x.re);
  }
  if (function == CumulativeF::sum) return sum.total();
  return function == CumulativeF::product ? product.total() : extreme;
}

/// A product of complex numbers. Where its parts may leave the range of f64 several answers are right: two products
/// beyond it make a NaN, and where one of them is fused with their difference an infinity (ops.md 1.2).
class ComplexProduct {
 public:
  void take(const Number& factor) {
    product_ = product_ * factor;
    const long double size = std::hypot(factor.re.value, factor.im.value);
    if (std::isfinite(size)) above_ *= std::max(size, 1.0L);
  }
  Number total() const {
    if (2 * above_ > std::numeric_limits<double>::max()) throw NoAnswer{};
    return product_;
  }

 private:
  Number product_ = Real(1);
  long double above_ = 1;  ///< the product of the sizes above 1, which no product of parts exceeds
};

Number of_complexes_so_far(CumulativeF function, const std::vector<Number>& prefix) {
  ComplexSum sum;
  ComplexProduct product;
  for (const Number& x : prefix) {
    sum.add(x);
    if (function == CumulativeF::product) product.take(x);
  }
  return function == CumulativeF::sum ? sum.total() : product.total();
}

}  // namespace

Number element(const ir::ops::Cumulative& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size());
  const std::int64_t n = call.out()[axis], place = op.reverse ? n - 1 - call.at(axis) : call.at(axis);
  std::vector<Number> prefix;
  Position in_x = call.at();
  for (std::int64_t k = 0; k < (op.exclusive ? place : place + 1); ++k) {
    in_x[axis] = op.reverse ? n - 1 - k : k;
    prefix.push_back(call.number(0, in_x));
  }
  const ir::DType dtype = call.dtype_in(0);
  if (ir::is_complex(dtype)) return of_complexes_so_far(op.function, prefix);
  return ir::is_float(dtype) ? of_reals_so_far(op.function, prefix) : of_integers_so_far(op.function, dtype, prefix);
}

}  // namespace plumb::parity::element
