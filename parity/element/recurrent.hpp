// Recurrences from the first step on (ops.md 11): an element of a state asks for all states before it.
#pragma once

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {

/// The states of one sequence in one direction, by unit.
struct RecurrentState {
  std::vector<Real> h, c;
};

/// The operands of rnn, gru or lstm as one sequence in one direction reads them.
class RecurrentOperands {
 public:
  template <class T>
  RecurrentOperands(const T& op, const Call& call, std::int64_t direction, std::int64_t row)
      : call_(call),
        direction_(direction),
        row_(row),
        inputs_(call.in(0)[2]),
        units_(call.in(2)[2]),
        gates_(T::gates),
        is_reverse_(direction == 1 || op.direction == decltype(op.direction)::reverse) {
    std::size_t next = 3;
    const auto place = [&](bool is_there) { return is_there ? std::optional(next++) : std::nullopt; };
    bias_ = place(op.has_bias);
    lengths_ = place(op.has_lengths);
    initial_h_ = place(op.has_initial_h);
    if constexpr (requires { op.has_peephole; }) {
      initial_c_ = place(op.has_initial_c);
      peephole_ = place(op.has_peephole);
    }
    if (op.clip) clip_ = call.attribute(*op.clip);
    length_ = lengths_ ? call.whole(*lengths_, {row}) : call.in(0)[0];
  }

  std::int64_t length() const { return length_; }
  std::int64_t units() const { return units_; }
  /// The position of step `s`, and the step at a position: turning a run around twice changes nothing.
  std::int64_t turned(std::int64_t s) const { return is_reverse_ ? length_ - 1 - s : s; }

  RecurrentState first() const;
  /// W·x + Wb of one row of a gate, and R·h + Rb.
  Real of_input(std::int64_t gate, std::int64_t unit, std::int64_t t) const;
  Real of_state(std::int64_t gate, std::int64_t unit, const std::vector<Real>& h) const;
  /// P⊙c, 0 without peepholes.
  Real peephole(std::int64_t gate, std::int64_t unit, Real c) const;

  /// f(κ(z)).
  template <class Activation>
  Real activated(Activation function, Real z) const {
    using ir::ops::UnaryFunction;
    if (clip_) z = clamped(z, -*clip_, *clip_);
    switch (function) {
      case Activation::sigmoid:
        return function_of(UnaryFunction::sigmoid, z);
      case Activation::tanh:
        return function_of(UnaryFunction::tanh, z);
      case Activation::relu:
        return function_of(UnaryFunction::relu, z);
      case Activation::hard_sigmoid:
        return clamped(Real(0.2L, 0x1p-54L) * z + Real(0.5L), 0, 1);
      case Activation::softsign:
        return function_of(UnaryFunction::softsign, z);
      case Activation::softplus:
        return function_of(UnaryFunction::softplus, z);
      case Activation::identity:
        return z;
    }
    throw NoAnswer{};
  }

 private:
  static Real clamped(Real x, long double low, long double high) { return minimum(maximum(x, Real(low)), Real(high)); }
  Real bias(std::int64_t part, std::int64_t gate, std::int64_t unit) const;

  const Call& call_;
  const std::int64_t direction_, row_, inputs_, units_, gates_;
  const bool is_reverse_;
  std::optional<std::size_t> bias_, lengths_, initial_h_, initial_c_, peephole_;
  std::optional<long double> clip_;
  std::int64_t length_ = 0;
};

/// An element of y (output 0), h_n, c_n or c; `step` makes the state at a position of the one before it.
template <class T, class Step>
Number recurrent_element(const T& op, const Call& call, const Step& step) {
  const bool is_last = call.output() == 1 || call.output() == 2;
  const std::size_t d = is_last ? 0 : 1;
  const RecurrentOperands operands(op, call, call.at(d), call.at(d + 1));
  const auto unit = static_cast<std::size_t>(call.at(d + 2));
  if (!is_last && call.at(0) >= operands.length()) return Real(0);
  const std::int64_t end = is_last ? operands.length() : operands.turned(call.at(0)) + 1;
  RecurrentState state = operands.first();
  for (std::int64_t s = 0; s < end; ++s) state = step(operands, operands.turned(s), state);
  return call.output() < 2 ? state.h[unit] : state.c[unit];
}

}  // namespace plumb::parity::element
