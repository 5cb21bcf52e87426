// Declares the steps of recurrences and scans, which hand a state on.
#pragma once

#include "ir/kernels/recurrent.hpp"
#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

/// Steps of rnn, gru and lstm: axis 0 of x and of their states. None where they are taken from the end.
template <class Op>
std::optional<Steps> steps_of_recurrence(const Op& op) {
  if (op.direction != ir::kernels::RecurrentDirection::forward) return std::nullopt;
  const ir::kernels::RecurrentOperands own = ir::kernels::recurrent_operands(op);
  Op continued = op;
  continued.has_initial_h = true;
  Steps steps{.continued = op, .operands = {{.own = 0, .axis = 0}, {.own = 1}, {.own = 2}}, .out = {0, ir::Axis()}};
  if (own.bias) steps.operands.push_back({.own = own.bias});
  if (own.lengths) steps.operands.push_back({.own = own.lengths, .counts_steps = true});
  steps.operands.push_back({.own = own.initial_h, .state = 1});
  if constexpr (requires { op.has_initial_c; }) {
    continued.has_initial_c = true;
    steps.operands.push_back({.own = own.initial_c, .state = 2});
    if (own.peephole) steps.operands.push_back({.own = own.peephole});
    steps.out.push_back({});
    if (op.cell_states) steps.out.push_back(0);
  }
  steps.continued = continued;
  return steps;
}

/// Steps of an op whose last operand is the state, where it has one, and whose second result is the last state: along
/// these axes of its other operands, and along `out` of its first result.
template <class Op>
Steps steps_of_scan(const Op& op, ir::Types in, const std::vector<ir::Axis>& axes, std::size_t out) {
  Op continued = op;
  continued.has_state = true;
  Steps steps{.continued = continued, .operands = {}, .out = {out, ir::Axis()}};
  const std::size_t data = in.size() - (op.has_state ? 1 : 0);
  for (std::size_t i = 0; i < data; ++i) steps.operands.push_back({.own = i, .axis = axes.at(i)});
  steps.operands.push_back({.own = op.has_state ? std::optional(data) : std::nullopt, .state = 1});
  return steps;
}

/// Adds the steps of a scan, along axis 1 of its operands but for those of rank 2 or less, which all steps share.
template <class Op>
void amend_scan(const Op& op, ir::Types in, Symmetries& made) {
  made.tiled = true;
  if (op.state_every != 0) return;
  std::vector<ir::Axis> steps;
  for (const ir::TensorType& x : in) steps.push_back(x.shape.size() <= 2 ? ir::Axis() : ir::Axis(1));
  made.steps = steps_of_scan(op, in, steps, 1);
}

}  // namespace plumb::parity::checks::relations
