// Parts of complex numbers, moduli and angles.
#include "ir/ops/complex_part.hpp"

#include <cmath>

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {

using ir::ops::ComplexPartFunction;

void run(const ir::ops::ComplexPart& op, Call& call) {
  ir::visit_complex(call.in(0).dtype(), [&]<class Z>(Z) {
    using T = typename Z::value_type;
    const auto use = [&](const auto& function) { kernels::elementwise<T, Z>(call, function); };
    switch (op.function) {
      case ComplexPartFunction::real:
        return use([](Z z) { return z.real(); });
      case ComplexPartFunction::imag:
        return use([](Z z) { return z.imag(); });
      case ComplexPartFunction::abs:
        return use([](Z z) { return std::hypot(z.real(), z.imag()); });
      case ComplexPartFunction::angle:
        return use([](Z z) { return std::atan2(z.imag(), z.real()); });
      case ComplexPartFunction::norm_squared:
        return use([](Z z) { return z.real() * z.real() + z.imag() * z.imag(); });
    }
  });
}

}  // namespace plumb::ref_cpu
