// Gated linear units; products of 16-bit floats are made in f64, since subnormal f32 products would be rounded twice.
#include "ir/ops/glu.hpp"

#include "ref_cpu/kernels/elementwise.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::GateFunction;

/// Calls `use` with the function of the gate, computed in C: float or double.
template <class C, class Use>
void with_gate(GateFunction function, const Use& use) {
  switch (function) {
    case GateFunction::silu:
      return use([](C g) { return kernels::gated(g, g); });
    case GateFunction::gelu:
      return use([](C g) { return kernels::gelu_of(g); });
    case GateFunction::gelu_tanh:
      return use([](C g) { return kernels::gelu_tanh_of(g); });
    case GateFunction::sigmoid:
      return use([](C g) { return kernels::sigmoid_of(g); });
    case GateFunction::relu:
      return use([](C g) { return g <= 0 ? C(0) : g; });  // NaN stays
  }
}

}  // namespace

void run(const ir::ops::Glu& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    using Product = std::conditional_t<std::is_same_v<T, C>, C, double>;
    with_gate<C>(op.function, [&](const auto& opened) {
      kernels::elementwise<T, T, T>(call, [opened](C gate, C value) { return Product(opened(gate)) * Product(value); });
    });
  });
}

}  // namespace plumb::ref_cpu
