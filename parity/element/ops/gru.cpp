// h' = (1 − z)⊙ĥ + z⊙h.
#include "ir/ops/gru.hpp"

#include "parity/element/recurrent.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Gru& op, const Call& call) {
  return recurrent_element(op, call, [&](const RecurrentOperands& in, std::int64_t t, const RecurrentState& before) {
    RecurrentState next;
    std::vector<Real> reset, of_reset;
    for (std::size_t j = 0; j < before.h.size(); ++j) {
      const auto unit = static_cast<std::int64_t>(j);
      reset.push_back(in.activated(op.gate_activation, in.of_input(1, unit, t) + in.of_state(1, unit, before.h)));
      of_reset.push_back(reset[j] * before.h[j]);
    }
    for (std::size_t j = 0; j < before.h.size(); ++j) {
      const auto unit = static_cast<std::int64_t>(j);
      const Real z = in.activated(op.gate_activation, in.of_input(0, unit, t) + in.of_state(0, unit, before.h));
      const Real of_state =
          op.linear_before_reset ? reset[j] * in.of_state(2, unit, before.h) : in.of_state(2, unit, of_reset);
      const Real candidate = in.activated(op.hidden_activation, in.of_input(2, unit, t) + of_state);
      next.h.push_back((Real(1) - z) * candidate + z * before.h[j]);
    }
    return next;
  });
}

}  // namespace plumb::parity::element
