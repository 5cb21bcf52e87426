// Sums of gates, of the operands of a recurrence.
#include "parity/element/recurrent.hpp"

namespace plumb::parity::element {

RecurrentState RecurrentOperands::first() const {
  RecurrentState state;
  for (std::int64_t j = 0; j < units_; ++j) {
    const auto read = [&](std::optional<std::size_t> operand) {
      return operand ? call_.real(*operand, {direction_, row_, j}) : Real(0);
    };
    state.h.push_back(read(initial_h_));
    state.c.push_back(read(initial_c_));
  }
  return state;
}

Real RecurrentOperands::bias(std::int64_t part, std::int64_t gate, std::int64_t unit) const {
  return bias_ ? call_.real(*bias_, {direction_, (part * gates_ + gate) * units_ + unit}) : Real(0);
}

Real RecurrentOperands::of_input(std::int64_t gate, std::int64_t unit, std::int64_t t) const {
  Sum sum(ir::SumName::product);
  for (std::int64_t k = 0; k < inputs_; ++k)
    sum.add(call_.real(1, {direction_, gate * units_ + unit, k}), call_.real(0, {t, row_, k}));
  sum.add(bias(0, gate, unit));
  return sum.total();
}

Real RecurrentOperands::of_state(std::int64_t gate, std::int64_t unit, const std::vector<Real>& h) const {
  Sum sum(ir::SumName::product);
  for (std::int64_t k = 0; k < units_; ++k)
    sum.add(call_.real(2, {direction_, gate * units_ + unit, k}), h[static_cast<std::size_t>(k)]);
  sum.add(bias(1, gate, unit));
  return sum.total();
}

Real RecurrentOperands::peephole(std::int64_t gate, std::int64_t unit, Real c) const {
  return peephole_ ? call_.real(*peephole_, {direction_, gate * units_ + unit}) * c : Real(0);
}

}  // namespace plumb::parity::element
