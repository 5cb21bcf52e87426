// c' = f_t⊙c + i⊙ĉ, h' = o⊙φ(κ(c')); gates lie in the order i, o, f, c.
#include "ir/ops/lstm.hpp"

#include "parity/element/recurrent.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Lstm& op, const Call& call) {
  return recurrent_element(op, call, [&](const RecurrentOperands& in, std::int64_t t, const RecurrentState& before) {
    RecurrentState next;
    for (std::size_t j = 0; j < before.h.size(); ++j) {
      const auto unit = static_cast<std::int64_t>(j);
      const auto sum = [&](std::int64_t gate) {
        return in.of_input(gate, unit, t) + in.of_state(gate, unit, before.h);
      };
      const auto gate = [&](std::int64_t which, Real cell) {
        return in.activated(op.gate_activation, sum(which) + in.peephole(which, unit, cell));
      };
      const Real c = before.c[j], i = gate(0, c), f = op.input_forget ? Real(1) - i : gate(2, c);
      const Real cell = f * c + i * in.activated(op.cell_activation, sum(3));
      next.c.push_back(cell);
      next.h.push_back(gate(1, cell) * in.activated(op.hidden_activation, cell));
    }
    return next;
  });
}

}  // namespace plumb::parity::element
