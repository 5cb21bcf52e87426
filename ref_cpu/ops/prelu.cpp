// PReLU; products of 16-bit floats are made in f64, since subnormal f32 products would be rounded twice.
#include "ir/ops/prelu.hpp"

#include "ref_cpu/kernels/elementwise.hpp"
#include "ref_cpu/kernels/integers.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Prelu&, Call& call) {
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    if constexpr (std::is_integral_v<T>) {
      kernels::elementwise<T, T, T>(call,
                                    [](T x, T slope) { return x >= 0 ? x : kernels::wrapping_multiply(slope, x); });
    } else {
      // Products of 16-bit floats may be subnormal floats, which would round twice.
      using Product = std::conditional_t<std::is_same_v<T, C>, C, double>;
      kernels::elementwise<T, T, T>(call,
                                    [](C x, C slope) { return x >= 0 ? Product(x) : Product(slope) * Product(x); });
    }
  });
}

}  // namespace plumb::ref_cpu
