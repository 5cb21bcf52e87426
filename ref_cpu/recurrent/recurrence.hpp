#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/kernels/recurrent.hpp"
#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

/// What the kernels of rnn, gru and lstm share: products of all inputs at once, then step after step. States stay in
/// the type that is computed in.
namespace plumb::ref_cpu::recurrent {

/// x becomes f(κ(x)), element by element; κ clamps to ±clip, and NaN stays.
template <class C>
void activate(ir::kernels::RecurrentActivation function, const std::optional<double>& clip, C* x, std::int64_t count) {
  using Function = ir::kernels::RecurrentActivation;
  const auto each = [&](const auto& apply) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = apply(x[i]);
  };
  if (clip) {
    const auto most = static_cast<C>(*clip);
    each([=](C z) { return z < -most ? -most : z > most ? most : z; });
  }
  switch (function) {
    case Function::sigmoid:
      return each([](C z) {
        const C e = kernels::exp_of(-std::fabs(z));
        return (z < 0 ? e : C{1}) / (C{1} + e);
      });
    case Function::tanh:
      return each([](C z) { return kernels::tanh_of(z); });
    case Function::relu:
      return each([](C z) { return z < 0 ? C{0} : z; });
    case Function::hard_sigmoid:
      return each([](C z) {
        const C y = C(0.2) * z + C(0.5);
        return y < 0 ? C{0} : y > 1 ? C{1} : y;
      });
    case Function::softsign:
      return each([](C z) { return z / (C{1} + std::fabs(z)); });
    case Function::softplus:
      return each([](C z) { return (z > 0 ? z : C{0}) + kernels::log1p_of_unit(kernels::exp_of(-std::fabs(z))); });
    case Function::identity:
      return;
  }
}

/// How many steps each sequence has. Throws Error for lengths outside [0, T].
std::vector<std::int64_t> sequence_lengths(const ir::kernels::RecurrentExtents& n, std::optional<std::size_t> operand,
                                           const Call& call);

/// A node on its way through the steps. A row is one sequence in one direction: row d·B + b.
template <class T>
class Recurrence {
 public:
  using C = ir::compute_t<T>;

  template <class Op>
  Recurrence(const Op& op, const Call& call) : call_(call), operands_(ir::kernels::recurrent_operands(op)) {
    const ir::TensorTypes types = {call.in(0).type(), call.in(1).type(), call.in(2).type()};
    n_ = ir::kernels::recurrent_extents(op, types);
    direction_ = op.direction;
    lengths_ = sequence_lengths(n_, operands_.lengths, call);
    weights_.emplace(call.in(2));
    if (operands_.bias) bias_.emplace(call.in(*operands_.bias));
    if (operands_.peephole) peephole_.emplace(call.in(*operands_.peephole));
    multiply_inputs();
  }

  const ir::kernels::RecurrentExtents& extents() const { return n_; }
  std::int64_t rows() const { return n_.directions * n_.batch; }

  /// A state for each row, as operand `initial` has it or 0.
  std::vector<C> first_state(std::optional<std::size_t> initial) const {
    std::vector<C> state(static_cast<std::size_t>(rows() * n_.units), C{0});
    if (!initial) return state;
    const auto given = call_.in(*initial).template as<T>();
    std::ranges::transform(given, state.begin(), [](T x) { return static_cast<C>(x); });
    return state;
  }
  std::vector<C> first_h() const { return first_state(operands_.initial_h); }
  std::vector<C> first_c() const { return first_state(operands_.initial_c); }

  /// Where on the axis of steps row `row` is in its step `s`; nothing beyond its length.
  std::optional<std::int64_t> position(std::int64_t row, std::int64_t s) const {
    const std::int64_t length = lengths_[static_cast<std::size_t>(row % n_.batch)];
    if (s >= length) return std::nullopt;
    return ir::kernels::is_reverse(direction_, row / n_.batch) ? length - 1 - s : s;
  }

  /// W·x at a position, all gates of a row.
  const C* of_input(std::int64_t row, std::int64_t t) const {
    return inputs_.data() + ((row / n_.batch * n_.steps + t) * n_.batch + row % n_.batch) * n_.gate_rows();
  }
  /// What `multiply` made for a row.
  const C* of_state(std::int64_t row) const { return products_.data() + row * n_.gate_rows(); }
  /// Wb (part 0) or Rb (part 1) of a row's direction, from gate `gate` on; null without a bias.
  const C* bias(std::int64_t row, std::int64_t part, std::int64_t gate = 0) const {
    if (!bias_) return nullptr;
    return bias_->data() + (row / n_.batch * 2 + part) * n_.gate_rows() + gate * n_.units;
  }
  /// P of one gate of a row's direction; null without peepholes.
  const C* peephole(std::int64_t row, std::int64_t gate) const {
    return peephole_ ? peephole_->data() + (row / n_.batch * 3 + gate) * n_.units : nullptr;
  }

  /// R·state for gates `first` to `end` of all rows.
  void multiply(const std::vector<C>& state, std::int64_t first, std::int64_t end) {
    const std::int64_t columns = (end - first) * n_.units;
    gemm::for_each_panel(n_.directions, n_.batch, columns, n_.units, [&](const gemm::Panel& p) {
      const auto left = gemm::row_major(state.data() + p.batch * n_.batch * n_.units, n_.batch, n_.units);
      const C* const weights = weights_->data() + (p.batch * n_.gate_rows() + first * n_.units) * n_.units;
      const auto right = gemm::row_major(weights, columns, n_.units).transposed();
      const gemm::Matrix<C> result{products_.data() + p.batch * n_.batch * n_.gate_rows() + first * n_.units, n_.batch,
                                   columns, n_.gate_rows()};
      gemm::multiply(left.block(p.row, 0, p.rows, n_.units), right.block(0, p.column, n_.units, p.columns),
                     result.block(p.row, p.column, p.rows, p.columns));
    });
  }

  /// Calls body(row) for all rows, in parallel.
  void for_each_row(const std::function<void(std::int64_t)>& body) const {
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 12) / n_.gate_rows());
    parallel_for(rows(), grain, [&](std::int64_t row, std::int64_t end) {
      for (; row < end; ++row) body(row);
    });
  }

  /// W·x + R·h + Wb + Rb of gates `first` to `end` of a row, into z.
  void sum_gates(std::int64_t row, std::int64_t t, std::int64_t first, std::int64_t end, C* z) const {
    const C *const x = of_input(row, t), *const h = of_state(row), *const wb = bias(row, 0), *const rb = bias(row, 1);
    for (std::int64_t j = first * n_.units; j < end * n_.units; ++j) z[j] = x[j] + h[j];
    if (wb == nullptr) return;
    for (std::int64_t j = first * n_.units; j < end * n_.units; ++j) z[j] += wb[j] + rb[j];
  }

  /// Writes states of step `s` to an output [T, D, B, H]: zeros beyond a length.
  void write_step(std::int64_t row, std::int64_t s, const C* state, const ir::MutableView& y) const {
    const auto t = position(row, s);
    T* const to = y.as<T>().data() + (t.value_or(s) * rows() + row) * n_.units;
    for (std::int64_t j = 0; j < n_.units; ++j) to[j] = t ? static_cast<T>(state[j]) : T{};
  }

  /// Writes the states that are left at the end.
  void write_last(const std::vector<C>& state, const ir::MutableView& y) const {
    std::ranges::transform(state, y.as<T>().begin(), [](C x) { return static_cast<T>(x); });
  }

 private:
  void multiply_inputs() {
    const kernels::Computed<T> x(call_.in(0)), w(call_.in(1));
    const std::int64_t m = n_.steps * n_.batch, columns = n_.gate_rows();
    inputs_.resize(static_cast<std::size_t>(n_.directions * m * columns));
    products_.resize(static_cast<std::size_t>(rows() * columns));
    const auto left = gemm::row_major(x.data(), m, n_.inputs);
    gemm::for_each_panel(n_.directions, m, columns, n_.inputs, [&](const gemm::Panel& p) {
      const auto right = gemm::row_major(w.data() + p.batch * columns * n_.inputs, columns, n_.inputs).transposed();
      gemm::multiply(left.block(p.row, 0, p.rows, n_.inputs), right.block(0, p.column, n_.inputs, p.columns),
                     gemm::row_major(inputs_.data() + p.batch * m * columns, m, columns)
                         .block(p.row, p.column, p.rows, p.columns));
    });
  }

  const Call& call_;
  const ir::kernels::RecurrentOperands operands_;
  ir::kernels::RecurrentExtents n_;
  ir::kernels::RecurrentDirection direction_;
  std::vector<std::int64_t> lengths_;
  std::optional<kernels::Computed<T>> weights_, bias_, peephole_;
  std::vector<C> inputs_;    ///< W·x: [D, T, B, gates·H]
  std::vector<C> products_;  ///< R·h of one step: [D, B, gates·H]
};

}  // namespace plumb::ref_cpu::recurrent
