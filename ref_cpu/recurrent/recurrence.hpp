#pragma once

#include <optional>

#include "ir/kernels/recurrent.hpp"
#include "ref_cpu/function_ref.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/scratch.hpp"

/// Code common to the kernels of rnn, gru and lstm: products of all inputs at once, then step after step. States stay
/// in the compute type C: float or double.
namespace plumb::ref_cpu::recurrent {

/// x becomes f(κ(x)), element by element; κ clamps to ±clip, and NaN stays.
template <class C>
void activate(ir::kernels::RecurrentActivation function, const std::optional<double>& clip, C* x, std::int64_t count);

/// The properties of a node that the three ops have in common.
struct Description {
  ir::kernels::RecurrentExtents n;
  ir::kernels::RecurrentOperands operands;
  ir::kernels::RecurrentDirection direction;
};

template <class Op>
const Description& description_of(const Op& op, Call& call) {
  return call.kept([&]() -> Description {
    const ir::TensorTypes types = {call.in(0).type(), call.in(1).type(), call.in(2).type()};
    return {ir::kernels::recurrent_extents(op, types), ir::kernels::recurrent_operands(op), op.direction};
  });
}

/// A node on its way through the steps. A row is one sequence in one direction: row d·B + b.
template <class C>
class Recurrence {
 public:
  /// Throws Error for lengths outside [0, T].
  Recurrence(const Description& op, const Call& call);

  const ir::kernels::RecurrentExtents& extents() const { return op_.n; }
  std::int64_t rows() const { return op_.n.directions * op_.n.batch; }

  /// A state for each row, as an operand has it or 0.
  ScratchVector<C> first_h() const { return first_state(op_.operands.initial_h); }
  ScratchVector<C> first_c() const { return first_state(op_.operands.initial_c); }

  /// Where on the axis of steps row `row` is in its step `s`; nothing beyond its length.
  std::optional<std::int64_t> position(std::int64_t row, std::int64_t s) const {
    const std::int64_t length = lengths_[static_cast<std::size_t>(row % op_.n.batch)];
    if (s >= length) return std::nullopt;
    return ir::kernels::is_reverse(op_.direction, row / op_.n.batch) ? length - 1 - s : s;
  }

  /// W·x at a position, all gates of a row.
  const C* of_input(std::int64_t row, std::int64_t t) const {
    const std::int64_t line = (row / op_.n.batch * op_.n.steps + t) * op_.n.batch + row % op_.n.batch;
    return inputs_.data() + line * op_.n.gate_rows();
  }
  /// R·state of a row, by the last call of `multiply`.
  const C* of_state(std::int64_t row) const { return products_.data() + row * op_.n.gate_rows(); }
  /// Wb (part 0) or Rb (part 1) of a row's direction, from gate `gate` on; null without a bias.
  const C* bias(std::int64_t row, std::int64_t part, std::int64_t gate = 0) const {
    if (bias_.empty()) return nullptr;
    return bias_.data() + (row / op_.n.batch * 2 + part) * op_.n.gate_rows() + gate * op_.n.units;
  }
  /// P of one gate of a row's direction; null without peepholes.
  const C* peephole(std::int64_t row, std::int64_t gate) const {
    return peephole_.empty() ? nullptr : peephole_.data() + (row / op_.n.batch * 3 + gate) * op_.n.units;
  }

  /// R·state for gates `first` to `end` of all rows.
  void multiply(const ScratchVector<C>& state, std::int64_t first, std::int64_t end);

  /// Calls body(row) for all rows, in parallel.
  void for_each_row(FunctionRef<void(std::int64_t)> body) const;

  /// W·x + R·h + Wb + Rb of gates `first` to `end` of a row, into z, which has all gates.
  void sum_gates(std::int64_t row, std::int64_t t, std::int64_t first, std::int64_t end, C* z) const;

  /// Writes states of step `s` to an output [T, D, B, H]: zeros beyond a length.
  void write_step(std::int64_t row, std::int64_t s, const C* state, const ir::MutableView& y) const;

  /// Writes the states that are left at the end.
  void write_last(const ScratchVector<C>& state, const ir::MutableView& y) const;

 private:
  ScratchVector<C> read(std::optional<std::size_t> operand) const;
  ScratchVector<C> first_state(std::optional<std::size_t> operand) const;
  void read_lengths();
  void multiply_inputs();

  const Call& call_;
  const Description op_;
  ScratchVector<std::int64_t> lengths_;
  ScratchVector<C> weights_, bias_, peephole_;  ///< r and, where they are there, the others
  ScratchVector<C> inputs_;                     ///< W·x: [D, T, B, gates·H]
  ScratchVector<C> products_;                   ///< R·h of one step: [D, B, gates·H]
};

/// Calls run(C) with a number of the type that a node is computed in.
template <class Run>
void with_computed(const Call& call, const Run& run) {
  if (call.in(0).dtype() == ir::DType::f64)
    run(double{});
  else
    run(float{});
}

}  // namespace plumb::ref_cpu::recurrent
