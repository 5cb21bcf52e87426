// Gated linear units; products of 16-bit floats are made in f64, since subnormal f32 products would be rounded twice.
#include "ir/ops/glu.hpp"

#include <cmath>

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

/// Whether the function f of a gate is no 0, although it is below the range of C: beside an infinite value that counts.
/// The truth has sigmoids down to that of -745.
template <class C>
bool is_lost(C gate, C f) {
  return f == 0 && gate != 0 && gate > C(-745);
}

/// An attribute as T is computed. Not inlined: g++ 12 forgets the rounding of a double that it passes on as a double.
template <class T>
[[gnu::noinline]] double attribute(double x) {
  return static_cast<double>(static_cast<ir::compute_t<T>>(x));
}

/// The gate of silu with limits and a factor, and the value with limits and a shift, in f64.
struct Shaped {
  double alpha, limit, offset;

  double gate(double x) const {
    const double g = x > limit ? limit : x, s = alpha * g, decay = -std::fabs(s);  // NaN stays
    return (s < 0 ? kernels::exp_times(decay, g) : g) / (1 + std::exp(decay));
  }
  double value(double x) const { return (x > limit ? limit : x < -limit ? -limit : x) + offset; }
};

}  // namespace

void run(const ir::ops::Glu& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    if (!op.is_plain()) {
      const Shaped shaped{attribute<T>(op.alpha), attribute<T>(op.limit), attribute<T>(op.offset)};
      return kernels::elementwise<T, T, T>(
          call, [shaped](double gate, double value) { return shaped.gate(gate) * shaped.value(value); });
    }
    using Product = std::conditional_t<std::is_same_v<T, C>, C, double>;
    const bool has_sigmoid = op.function == GateFunction::silu || op.function == GateFunction::sigmoid;
    with_gate<C>(op.function, [&](const auto& opened) {
      kernels::elementwise<T, T, T>(call, [opened, has_sigmoid](C gate, C value) {
        const C f = opened(gate);
        const bool counts = has_sigmoid && std::isinf(value) && is_lost(gate, f);
        return Product(counts ? std::copysign(C(1), f) : f) * Product(value);
      });
    });
  });
}

}  // namespace plumb::ref_cpu
