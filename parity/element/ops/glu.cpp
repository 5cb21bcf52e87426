// A function of the gate, times the value; with silu both may have limits, the gate a factor and the value a shift.
#include "ir/ops/glu.hpp"

#include <cmath>

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Glu& op, const Call& call) {
  const Real gate = call.number(0, call.at()).re, value = call.number(1, call.at()).re;
  const bool is_shaped = op.alpha != 1 || op.offset != 0 || std::isfinite(op.limit);
  if (is_shaped) {
    const Real limit(call.attribute(op.limit)), g = minimum(gate, limit);
    const Real open = g * function_of(ir::ops::UnaryFunction::sigmoid, Real(call.attribute(op.alpha)) * g);
    return open * (minimum(maximum(value, -limit), limit) + Real(call.attribute(op.offset)));
  }
  return function_of(ir::ops::unary_function(op.function), gate) * value;
}

}  // namespace plumb::parity::element
