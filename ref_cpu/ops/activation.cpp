#include "ir/ops/activation.hpp"

#include <cmath>

#include "ref_cpu/kernels/elementwise.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::ActivationFunction;

/// x sigmoid(alpha x); x e^s keeps its accuracy where e^s alone is subnormal.
double swish(double x, double alpha) {
  const double s = alpha * x, decay = -std::fabs(s);
  return (s < 0 ? kernels::exp_times(decay, x) : x) / (1 + std::exp(decay));
}

double hard_sigmoid(double x, double alpha, double beta) {
  const double y = std::fma(alpha, x, beta);
  return y < 0 ? 0 : y > 1 ? 1 : y;  // NaN stays
}

double shrink(double x, double alpha, double beta) {
  return x < -alpha ? x + beta : x > alpha ? x - beta : std::isnan(x) ? x : 0;
}

/// A parameter as T is computed. Not inlined: g++ 12 forgets the rounding of a double that
/// it passes on as a double.
template <class T>
[[gnu::noinline]] double parameter(double x) {
  return static_cast<ir::compute_t<T>>(x);
}

/// Calls use with the function. Narrower floats are computed in double too: there is nothing
/// to lose where arguments are scaled before they are raised.
template <class Use>
void with_function(ActivationFunction function, double alpha, double beta, const Use& use) {
  switch (function) {
    case ActivationFunction::leaky_relu:
      return use([=](double x) { return x >= 0 ? x : alpha * x; });
    case ActivationFunction::elu:
      return use([=](double x) { return x > 0 ? x : alpha * std::expm1(x); });
    case ActivationFunction::selu:
      return use([=](double x) { return beta * (x > 0 ? x : alpha * std::expm1(x)); });
    case ActivationFunction::celu:
      return use([=](double x) { return x > 0 ? x : alpha * std::expm1(x / alpha); });
    case ActivationFunction::swish:
      return use([=](double x) { return swish(x, alpha); });
    case ActivationFunction::hard_sigmoid:
      return use([=](double x) { return hard_sigmoid(x, alpha, beta); });
    case ActivationFunction::thresholded_relu:
      return use([=](double x) { return x > alpha || std::isnan(x) ? x : 0; });
    case ActivationFunction::shrink:
      return use([=](double x) { return shrink(x, alpha, beta); });
    case ActivationFunction::scaled_tanh:
      return use([=](double x) { return alpha * std::tanh(beta * x); });
  }
}

}  // namespace

void run(const ir::ops::Activation& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    with_function(op.function, parameter<T>(op.alpha), parameter<T>(op.beta),
                  [&](const auto& function) { kernels::elementwise<T, T>(call, function); });
  });
}

}  // namespace plumb::ref_cpu
