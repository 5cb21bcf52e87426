// Complex numbers from two reals: parts as they are, or by modulus and angle.
#include "ir/ops/make_complex.hpp"

#include <cmath>

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {
namespace {

template <class T>
void make(const ir::ops::MakeComplex& op, Call& call) {
  using Z = std::complex<T>;
  if (op.form == ir::ops::ComplexForm::cartesian)
    kernels::elementwise<Z, T, T>(call, [](T a, T b) { return Z(a, b); });
  else
    kernels::elementwise<Z, T, T>(call, [](T a, T b) { return Z(a * std::cos(b), a * std::sin(b)); });
}

}  // namespace

void run(const ir::ops::MakeComplex& op, Call& call) {
  if (call.in(0).dtype() == ir::DType::f64)
    make<double>(op, call);
  else
    make<float>(op, call);
}

}  // namespace plumb::ref_cpu
