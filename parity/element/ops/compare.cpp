// IEEE comparison; beside a NaN only not_equal is true.
#include "ir/ops/compare.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Compare& op, const Call& call) {
  using F = ir::ops::Comparison;
  const Number a = call.stretched(0), b = call.stretched(1);
  const auto is_equal = [&] { return equal(a.re, b.re) && equal(a.im, b.im); };
  const auto answer = [&] {
    switch (op.function) {
      case F::equal:
        return is_equal();
      case F::not_equal:
        return !is_equal();
      case F::less:
        return less(a.re, b.re);
      case F::less_equal:
        return less(a.re, b.re) || equal(a.re, b.re);
      case F::greater:
        return less(b.re, a.re);
      case F::greater_equal:
        return less(b.re, a.re) || equal(a.re, b.re);
    }
    throw NoAnswer{};
  };
  return {Real(answer() ? 1 : 0)};
}

}  // namespace plumb::parity::element
