// Comparisons by C++'s own operators, which are IEEE's; complex numbers are only equal or not.
#include "ir/ops/compare.hpp"

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {

using ir::ops::Comparison;

void run(const ir::ops::Compare& op, Call& call) {
  ir::visit_any(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto use = [&](const auto& relation) { kernels::elementwise<bool, T, T>(call, relation); };
    if (op.function == Comparison::equal) return use([](C a, C b) { return a == b; });
    if (op.function == Comparison::not_equal) return use([](C a, C b) { return a != b; });
    if constexpr (ir::dtypes::N.contains(ir::dtype_of<T>)) {
      if (op.function == Comparison::less) return use([](C a, C b) { return a < b; });
      if (op.function == Comparison::less_equal) return use([](C a, C b) { return a <= b; });
      if (op.function == Comparison::greater) return use([](C a, C b) { return a > b; });
      if (op.function == Comparison::greater_equal) return use([](C a, C b) { return a >= b; });
    }
  });
}

}  // namespace plumb::ref_cpu
