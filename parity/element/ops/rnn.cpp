// h' = f(κ(W·x + R·h + Wb + Rb)).
#include "ir/ops/rnn.hpp"

#include "parity/element/recurrent.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Rnn& op, const Call& call) {
  return recurrent_element(op, call, [&](const RecurrentOperands& in, std::int64_t t, const RecurrentState& before) {
    RecurrentState next;
    for (std::int64_t j = 0; j < in.units(); ++j)
      next.h.push_back(in.activated(op.activation, in.of_input(0, j, t) + in.of_state(0, j, before.h)));
    return next;
  });
}

}  // namespace plumb::parity::element
