// Predicates of floats by their bits, as a compiler that assumes finite numbers must not answer them.
#include "ir/ops/classify.hpp"

#include <bit>

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Classify& op, Call& call) {
  using Class = ir::ops::FloatClass;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    using Bits = std::conditional_t<sizeof(C) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(C) - 1);
    constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<C>::infinity());
    // By their bits: a compiler that assumes finite numbers must not answer for them.
    const auto ask = [&](const auto& holds) {
      kernels::elementwise<bool, T>(call, [&](C x) { return holds(std::bit_cast<Bits>(x)); });
    };
    switch (op.function) {
      case Class::is_nan:
        return ask([](Bits x) { return (x & ~sign) > infinity; });
      case Class::is_inf:
        return ask([](Bits x) { return (x & ~sign) == infinity; });
      case Class::is_positive_inf:
        return ask([](Bits x) { return x == infinity; });
      case Class::is_negative_inf:
        return ask([](Bits x) { return x == (sign | infinity); });
      case Class::is_finite:
        return ask([](Bits x) { return (x & ~sign) < infinity; });
    }
  });
}

}  // namespace plumb::ref_cpu
