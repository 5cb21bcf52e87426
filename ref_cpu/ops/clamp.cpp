// Clamps by one limit or both, through which NaN propagates.
#include "ir/ops/clamp.hpp"

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {
namespace {

template <class T>
T maximum(T a, T b) {
  return a > b || a != a ? a : b;  // NaN propagates
}
template <class T>
T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}

}  // namespace

void run(const ir::ops::Clamp& op, Call& call) {
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    if (op.has_min && op.has_max)
      kernels::elementwise<T, T, T, T>(call, [](C x, C low, C high) { return minimum(maximum(x, low), high); });
    else if (op.has_min)
      kernels::elementwise<T, T, T>(call, [](C x, C low) { return maximum(x, low); });
    else if (op.has_max)
      kernels::elementwise<T, T, T>(call, [](C x, C high) { return minimum(x, high); });
    else
      kernels::elementwise<T, T>(call, [](C x) { return x; });
  });
}

}  // namespace plumb::ref_cpu
