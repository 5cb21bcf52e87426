// An activation function with parameters (ops.md 3).
#include "ir/ops/activation.hpp"

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::ActivationFunction;
using ir::ops::UnaryFunction;

/// x where it is above 0, else the other.
template <class Other>
Real or_else(Real x, const Other& other) {
  return less(Real(0), x) ? x : other();
}

}  // namespace

Number element(const ir::ops::Activation& op, const Call& call) {
  using F = ActivationFunction;
  const Real x = call.number(0, call.at()).re, alpha = call.attribute(op.alpha), beta = call.attribute(op.beta);
  if (std::isnan(x.value)) return x;
  const auto expm1 = [](Real v) { return function_of(UnaryFunction::expm1, v); };
  switch (op.function) {
    case F::leaky_relu:
      return less(x, Real(0)) ? alpha * x : x;
    case F::elu:
      return or_else(x, [&] { return alpha * expm1(x); });
    case F::selu:
      return beta * or_else(x, [&] { return alpha * expm1(x); });
    case F::celu:
      return or_else(x, [&] { return alpha * expm1(x / alpha); });
    case F::swish:
      return x * function_of(UnaryFunction::sigmoid, alpha * x);
    case F::hard_sigmoid:
      return minimum(maximum(alpha * x + beta, Real(0)), Real(1));
    case F::thresholded_relu:
      return less(alpha, x) ? x : Real(0);
    case F::shrink:
      return less(x, -alpha) ? x + beta : less(alpha, x) ? x - beta : Real(0);
    case F::scaled_tanh:
      return alpha * function_of(UnaryFunction::tanh, beta * x);
  }
  throw NoAnswer{};
}

}  // namespace plumb::parity::element
