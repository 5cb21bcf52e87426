// Recurrences by Eigen's products; what is stored in 16 bits is converted once, and rounded where it is written.
#include "ref_cpu/recurrent/recurrence.hpp"

#include <algorithm>

#include "ir/convert.hpp"
#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/vector_math.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::recurrent {

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

template void activate(ir::kernels::RecurrentActivation, const std::optional<double>&, float*, std::int64_t);
template void activate(ir::kernels::RecurrentActivation, const std::optional<double>&, double*, std::int64_t);

template <class C>
Recurrence<C>::Recurrence(const Description& op, const Call& call) : call_(call), op_(op) {
  read_lengths();
  weights_ = read(2);
  bias_ = read(op.operands.bias);
  peephole_ = read(op.operands.peephole);
  multiply_inputs();
}

template <class C>
ScratchVector<C> Recurrence<C>::read(std::optional<std::size_t> operand) const {
  if (!operand) return {};
  const ir::TensorView& x = call_.in(*operand);
  ScratchVector<C> wide(static_cast<std::size_t>(x.elements()));
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    std::ranges::transform(x.as<T>(), wide.begin(), [](T one) { return ir::convert_value<C>(one); });
  });
  return wide;
}

template <class C>
ScratchVector<C> Recurrence<C>::first_state(std::optional<std::size_t> operand) const {
  return operand ? read(operand) : ScratchVector<C>(static_cast<std::size_t>(rows() * op_.n.units), C{0});
}

template <class C>
void Recurrence<C>::read_lengths() {
  const std::int64_t steps = op_.n.steps;
  lengths_.assign(static_cast<std::size_t>(op_.n.batch), steps);
  if (!op_.operands.lengths) return;
  ir::visit_index(call_.in(*op_.operands.lengths).dtype(), [&]<class X>(X) {
    const auto given = call_.in(*op_.operands.lengths).as<X>();
    for (std::size_t b = 0; b < lengths_.size(); ++b) {
      lengths_[b] = given[b];
      ir::require(0 <= lengths_[b] && lengths_[b] <= steps, "lengths[", b, "] is ", lengths_[b], ", outside [0, ",
                  steps, "]");
    }
  });
}

template <class C>
void Recurrence<C>::multiply_inputs() {
  const ir::kernels::RecurrentExtents& n = op_.n;
  const ScratchVector<C> x = read(0), w = read(1);
  const std::int64_t m = n.steps * n.batch, columns = n.gate_rows();
  inputs_.resize(static_cast<std::size_t>(n.directions * m * columns));
  products_.resize(static_cast<std::size_t>(rows() * columns));
  const auto left = gemm::row_major(x.data(), m, n.inputs);
  gemm::for_each_panel(n.directions, m, columns, n.inputs, [&](const gemm::Panel& p) {
    const auto right = gemm::row_major(w.data() + p.batch * columns * n.inputs, columns, n.inputs).transposed();
    const auto result = gemm::row_major(inputs_.data() + p.batch * m * columns, m, columns);
    gemm::multiply(left.block(p.row, 0, p.rows, n.inputs), right.block(0, p.column, n.inputs, p.columns),
                   result.block(p.row, p.column, p.rows, p.columns));
  });
}

template <class C>
void Recurrence<C>::multiply(const ScratchVector<C>& state, std::int64_t first, std::int64_t end) {
  const ir::kernels::RecurrentExtents& n = op_.n;
  const std::int64_t columns = (end - first) * n.units;
  gemm::for_each_panel(n.directions, n.batch, columns, n.units, [&](const gemm::Panel& p) {
    const auto left = gemm::row_major(state.data() + p.batch * n.batch * n.units, n.batch, n.units);
    const C* const weights = weights_.data() + (p.batch * n.gate_rows() + first * n.units) * n.units;
    const auto right = gemm::row_major(weights, columns, n.units).transposed();
    const gemm::Matrix<C> result{products_.data() + p.batch * n.batch * n.gate_rows() + first * n.units, n.batch,
                                 columns, n.gate_rows()};
    gemm::multiply(left.block(p.row, 0, p.rows, n.units), right.block(0, p.column, n.units, p.columns),
                   result.block(p.row, p.column, p.rows, p.columns));
  });
}

template <class C>
void Recurrence<C>::for_each_row(FunctionRef<void(std::int64_t)> body) const {
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 12) / op_.n.gate_rows());
  parallel_for(rows(), grain, [&](std::int64_t row, std::int64_t end) {
    for (; row < end; ++row) body(row);
  });
}

template <class C>
void Recurrence<C>::sum_gates(std::int64_t row, std::int64_t t, std::int64_t first, std::int64_t end, C* z) const {
  const C *const x = of_input(row, t), *const h = of_state(row), *const wb = bias(row, 0), *const rb = bias(row, 1);
  const std::int64_t from = first * op_.n.units, to = end * op_.n.units;
  for (std::int64_t j = from; j < to; ++j) z[j] = x[j] + h[j];
  if (wb == nullptr) return;
  for (std::int64_t j = from; j < to; ++j) z[j] += wb[j] + rb[j];
}

template <class C>
void Recurrence<C>::write_step(std::int64_t row, std::int64_t s, const C* state, const ir::MutableView& y) const {
  const auto t = position(row, s);
  ir::visit_float(y.dtype(), [&]<class T>(T) {
    T* const to = y.as<T>().data() + (t.value_or(s) * rows() + row) * op_.n.units;
    for (std::int64_t j = 0; j < op_.n.units; ++j) to[j] = t ? static_cast<T>(state[j]) : T{};
  });
}

template <class C>
void Recurrence<C>::write_last(const ScratchVector<C>& state, const ir::MutableView& y) const {
  ir::visit_float(y.dtype(), [&]<class T>(T) {
    std::ranges::transform(state, y.as<T>().begin(), [](C x) { return static_cast<T>(x); });
  });
}

template class Recurrence<float>;
template class Recurrence<double>;

}  // namespace plumb::ref_cpu::recurrent
