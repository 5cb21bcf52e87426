// Declares the steps of recurrences and scans, which hand a state on.
#pragma once

#include "ir/kernels/recurrent.hpp"
#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

/// Steps of rnn, gru and lstm: axis 0 of x and of their states. None where they are taken from the end.
template <class Op>
std::optional<Steps> steps_of_recurrence(const Op& op) {
  if (op.direction != ir::kernels::RecurrentDirection::forward) return std::nullopt;
  const ir::kernels::RecurrentOperands own = ir::kernels::recurrent_operands(op);
  Op continued = op;
  continued.has_initial_h = true;
  Steps steps{.continued = op, .operands = {{.own = 0, .axis = 0}, {.own = 1}, {.own = 2}}, .out = {0, Axis()}};
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

/// Sequences of a batch by themselves: axis 1 of x, of lengths axis 0, of states the one before the last.
template <class Op>
AxisSymmetry batch_of_recurrence(const Op& op, ir::Types in) {
  const ir::kernels::RecurrentOperands own = ir::kernels::recurrent_operands(op);
  AxisSymmetry batch{.out = 2, .in = std::vector<Axis>(in.size())};
  batch.in[0] = 1;
  if (own.lengths) batch.in[*own.lengths] = 0;
  for (const auto& state : {own.initial_h, own.initial_c})
    if (state) batch.in[*state] = 1;
  return batch;
}

/// What rnn, gru and lstm declare.
template <class Op>
Symmetries of_recurrence(const Op& op, ir::Types in) {
  return {.axes = {batch_of_recurrence(op, in)}, .tiled = true, .steps = steps_of_recurrence(op)};
}

/// Steps of an op whose last operand is the state, where it has one, and whose second result is the last state: along
/// these axes of its other operands, and along `out` of its first result.
template <class Op>
Steps steps_of_scan(const Op& op, ir::Types in, const std::vector<Axis>& axes, std::size_t out) {
  Op continued = op;
  continued.has_state = true;
  Steps steps{.continued = continued, .operands = {}, .out = {out, Axis()}};
  const std::size_t data = in.size() - (op.has_state ? 1 : 0);
  for (std::size_t i = 0; i < data; ++i) steps.operands.push_back({.own = i, .axis = axes.at(i)});
  steps.operands.push_back({.own = op.has_state ? std::optional(data) : std::nullopt, .state = 1});
  return steps;
}

/// What scans declare whose operands have batches on axis 0 and steps on axis 1, but for those of rank 2 or less, which
/// all steps share.
template <class Op>
Symmetries of_scan(const Op& op, ir::Types in) {
  std::vector<Axis> batches, steps;
  for (const ir::TensorType& x : in) {
    const bool is_shared = x.shape.size() <= 2;
    batches.push_back(is_shared ? Axis() : Axis(0)), steps.push_back(is_shared ? Axis() : Axis(1));
  }
  Symmetries made{.axes = {{.out = 0, .in = batches}}, .tiled = true};
  if (op.state_every == 0) made.steps = steps_of_scan(op, in, steps, 1);
  return made;
}

}  // namespace plumb::parity::relations
