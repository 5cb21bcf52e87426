// A function of the gate, times the value.
#include "ir/ops/glu.hpp"

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Glu& op, const Call& call) {
  const Real gate = call.number(0, call.at()).re, value = call.number(1, call.at()).re;
  return function_of(ir::ops::unary_function(op.function), gate) * value;
}

}  // namespace plumb::parity::element
