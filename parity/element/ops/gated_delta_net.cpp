// One column of a state from the first step on, and what a query reads of it.
#include "ir/ops/gated_delta_net.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

/// Column j of the state of one head of one batch.
struct Column {
  const ir::ops::GatedDeltaNet& op;
  const Call& call;
  std::int64_t b, head, j;
  std::int64_t dk = call.in(0)[3];

  std::vector<Real> after(std::int64_t steps) const {
    std::vector<Real> s(static_cast<std::size_t>(dk));
    if (op.has_state)
      for (std::int64_t i = 0; i < dk; ++i)
        s[static_cast<std::size_t>(i)] = call.real(call.operands() - 1, {b, head, i, j});
    for (std::int64_t t = 0; t < steps; ++t) take_step(t, s);
    return s;
  }

 private:
  void take_step(std::int64_t t, std::vector<Real>& s) const {
    if (op.has_decay)
      for (std::int64_t i = 0; i < dk; ++i) {
        const bool by_row = call.in(3).size() == 4;
        Real& one = s[static_cast<std::size_t>(i)];
        one = exp(by_row ? call.real(3, {b, t, head, i}) : call.real(3, {b, t, head})) * one;
      }
    Real change = call.real(2, {b, t, head, j});
    if (op.has_beta) {
      Sum known;
      for (std::int64_t i = 0; i < dk; ++i) known.add(s[static_cast<std::size_t>(i)], call.real(1, {b, t, head, i}));
      change = call.real(op.has_decay ? 4 : 3, {b, t, head}) * (change - known.total());
    }
    for (std::int64_t i = 0; i < dk; ++i) {
      Real& one = s[static_cast<std::size_t>(i)];
      one = one + call.real(1, {b, t, head, i}) * change;
    }
  }
};

}  // namespace

Number element(const ir::ops::GatedDeltaNet& op, const Call& call) {
  const Position& at = call.at();
  const std::int64_t steps = call.in(0)[1];
  if (call.output() == 1) return Column{op, call, at[0], at[1], at[3]}.after(steps)[static_cast<std::size_t>(at[2])];
  if (call.output() == 2) {
    const std::int64_t until = (at[0] + 1) * op.state_every;
    return Column{op, call, at[1], at[2], at[4]}.after(until)[static_cast<std::size_t>(at[3])];
  }
  const std::int64_t head = at[2] / (call.in(0)[2] / call.in(1)[2]);
  const Column column{op, call, at[0], head, at[3]};
  const std::vector<Real> s = column.after(at[1] + 1);
  Sum sum;
  for (std::int64_t i = 0; i < column.dk; ++i)
    sum.add(s[static_cast<std::size_t>(i)], call.real(0, {at[0], at[1], at[2], i}));
  const Real scale =
      op.scale ? Real(call.attribute(*op.scale)) : Real(1) / sqrt(Real(std::max<std::int64_t>(1, column.dk)));
  return scale * sum.total();
}

}  // namespace plumb::parity::element
