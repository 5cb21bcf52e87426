#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

/// Attributes, extents, constraints and loops common to rnn, gru and lstm (ops.md 11).
namespace plumb::ir::kernels {

enum class RecurrentDirection { forward, reverse, bidirectional };

constexpr auto enum_names(RecurrentDirection) {
  return std::array<std::string_view, 3>{"forward", "reverse", "bidirectional"};
}

/// The functions of gates, cells and hidden states; hard_sigmoid is 0.2x + 0.5 within [0, 1].
enum class RecurrentActivation { sigmoid, tanh, relu, hard_sigmoid, softsign, softplus, identity };

constexpr auto enum_names(RecurrentActivation) {
  return std::array<std::string_view, 7>{"sigmoid", "tanh", "relu", "hard_sigmoid", "softsign", "softplus", "identity"};
}

/// The extents of a node: x is [steps, batch, inputs], w [directions, gates·units, inputs].
struct RecurrentExtents {
  std::int64_t steps, batch, inputs, directions, units, gates;

  std::int64_t gate_rows() const { return gates * units; }
  Shape states() const { return {directions, batch, units}; }
  Shape all_states() const { return {steps, directions, batch, units}; }
};

/// Whether direction `d` runs from the end of each sequence.
constexpr bool is_reverse(RecurrentDirection direction, std::int64_t d) {
  return direction == RecurrentDirection::reverse || d == 1;
}

/// Where among the operands those are that an attribute switches on; x, w and r are 0, 1 and 2.
struct RecurrentOperands {
  std::optional<std::size_t> bias = {}, lengths = {}, initial_h = {}, initial_c = {}, peephole = {};
};

template <class T>
RecurrentOperands recurrent_operands(const T& op) {
  std::size_t next = 3;
  const auto place = [&](bool is_there) { return is_there ? std::optional(next++) : std::nullopt; };
  RecurrentOperands found{.bias = place(op.has_bias), .lengths = place(op.has_lengths)};
  found.initial_h = place(op.has_initial_h);
  if constexpr (requires { op.has_peephole; }) {
    found.initial_c = place(op.has_initial_c);
    found.peephole = place(op.has_peephole);
  }
  return found;
}

/// The extents of a node that has passed its checks.
template <class T>
RecurrentExtents recurrent_extents(const T&, Types in) {
  const Shape &x = in[0].shape, &r = in[2].shape;
  return {x[0], x[1], x[2], r[0], r[2], T::gates};
}

/// Checks constraints C1 to C3, which the three ops have in common; returns the extents.
template <class T>
RecurrentExtents checked_recurrent_extents(const T& op, Types in) {
  const Shape &x = in[0].shape, &w = in[1].shape, &r = in[2].shape;
  check(op, 2, x.rank() == 3 && w.rank() == 3 && r.rank() == 3, "x is ", in[0], ", w is ", in[1], ", r is ", in[2]);
  const RecurrentExtents n = recurrent_extents(op, in);
  check(op, 1, n.directions == (op.direction == RecurrentDirection::bidirectional ? 2 : 1), "r is ", in[2],
        ", direction is ", enum_name(op.direction));
  const bool are_weights = w == Shape{n.directions, n.gate_rows(), n.inputs} &&
                           r == Shape{n.directions, n.gate_rows(), n.units} && n.units >= 1;
  check(op, 2, are_weights, "x is ", in[0], ", w is ", in[1], ", r is ", in[2]);
  const RecurrentOperands operands = recurrent_operands(op);
  const auto has_shape = [&](std::optional<std::size_t> i, const Shape& shape) {
    if (i) check(op, 2, in[*i].shape == shape, "operand ", *i, " is ", in[*i], ", wanted ", shape);
  };
  has_shape(operands.bias, {n.directions, 2 * n.gate_rows()});
  has_shape(operands.lengths, {n.batch});
  has_shape(operands.initial_h, n.states());
  has_shape(operands.initial_c, n.states());
  has_shape(operands.peephole, {n.directions, 3 * n.units});
  check(op, 3, !op.clip || *op.clip > 0, "clip is ", op.clip.value_or(0));
  return n;
}

/// Sequences of the batch by themselves, and the sums over inputs and over units of each gate.
template <class T>
Loops recurrent_loops(const T& op, Types in) {
  const RecurrentOperands own = recurrent_operands(op);
  Loop batch{.out = 2, .in = std::vector<Axis>(in.size())}, units = taps(batch.in);
  batch.in[0] = 1;
  units.in[2] = 2;
  if (own.lengths) batch.in[*own.lengths] = 0;
  for (const auto& state : {own.initial_h, own.initial_c})
    if (state) batch.in[*state] = 1;
  if (own.initial_h) units.in[*own.initial_h] = 2;
  Loop inputs = summed({2, 2});
  inputs.in.resize(in.size());
  Loops made{.loops = {batch, inputs, units},
             .operands = {{Role::data}, {Role::factor}, {Role::factor}},
             .rounds = "functions of gates and states are rounded"};
  made.operands.resize(in.size(), {Role::parameter});
  if (own.lengths) made.operands[*own.lengths] = {.role = Role::index, .low = 0, .high = in[0].shape[0] + 1};
  return made;
}

/// Two products for each element of every gate, and some 16 operations of its own for an element of the state.
inline Cost recurrent_cost(const RecurrentExtents& n) {
  const double states = static_cast<double>(n.steps * n.directions) * static_cast<double>(n.batch * n.units);
  return {states * (2.0 * static_cast<double>(n.gates * (n.inputs + n.units)) + 16), n.inputs + n.units};
}

}  // namespace plumb::ir::kernels
