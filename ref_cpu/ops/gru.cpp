// Steps of a gated recurrent unit. The reset gate is in front of the product with R_h, which then waits for it, or
// behind, where one product serves all gates.
#include "ir/ops/gru.hpp"

#include "ref_cpu/recurrent/recurrence.hpp"

namespace plumb::ref_cpu {
namespace {

/// z, r and ĥ of every row, and r⊙h where the product with R_h is of that.
template <class C>
class GruSteps {
 public:
  GruSteps(const ir::ops::Gru& op, Call& call)
      : op_(op),
        call_(call),
        recurrence_(recurrent::description_of(op, call), call),
        units_(recurrence_.extents().units),
        h_(recurrence_.first_h()),
        gates_(3 * h_.size()),
        reset_(op.linear_before_reset ? 0 : h_.size()) {}

  void run() {
    for (std::int64_t s = 0; s < recurrence_.extents().steps; ++s) {
      recurrence_.multiply(h_, 0, op_.linear_before_reset ? 3 : 2);
      recurrence_.for_each_row([&](std::int64_t row) {
        if (const auto t = recurrence_.position(row, s)) open_gates(row, *t);
      });
      if (!op_.linear_before_reset) recurrence_.multiply(reset_, 2, 3);
      recurrence_.for_each_row([&](std::int64_t row) {
        if (const auto t = recurrence_.position(row, s)) update(row, *t);
        recurrence_.write_step(row, s, h_.data() + row * units_, call_.out(0));
      });
    }
    recurrence_.write_last(h_, call_.out(1));
  }

 private:
  void open_gates(std::int64_t row, std::int64_t t) {
    C* const z = gates_.data() + row * 3 * units_;
    recurrence_.sum_gates(row, t, 0, 2, z);
    recurrent::activate(op_.gate_activation, op_.clip, z, 2 * units_);
    if (op_.linear_before_reset) return;
    const C *const r = z + units_, *const h = h_.data() + row * units_;
    for (std::int64_t j = 0; j < units_; ++j) reset_[static_cast<std::size_t>(row * units_ + j)] = r[j] * h[j];
  }

  void update(std::int64_t row, std::int64_t t) {
    C *const z = gates_.data() + row * 3 * units_, *const r = z + units_, *const candidate = r + units_;
    C* const h = h_.data() + row * units_;
    if (op_.linear_before_reset) {
      const C *const x = recurrence_.of_input(row, t) + 2 * units_, *const y = recurrence_.of_state(row) + 2 * units_;
      const C *const wb = recurrence_.bias(row, 0, 2), *const rb = recurrence_.bias(row, 1, 2);
      for (std::int64_t j = 0; j < units_; ++j)
        candidate[j] = x[j] + r[j] * (y[j] + (rb == nullptr ? C{0} : rb[j])) + (wb == nullptr ? C{0} : wb[j]);
    } else {
      recurrence_.sum_gates(row, t, 2, 3, z);
    }
    recurrent::activate(op_.hidden_activation, op_.clip, candidate, units_);
    for (std::int64_t j = 0; j < units_; ++j) h[j] = (C{1} - z[j]) * candidate[j] + z[j] * h[j];
  }

  const ir::ops::Gru& op_;
  const Call& call_;
  recurrent::Recurrence<C> recurrence_;
  const std::int64_t units_;
  ScratchVector<C> h_, gates_, reset_;
};

}  // namespace

void run(const ir::ops::Gru& op, Call& call) {
  recurrent::with_computed(call, [&]<class C>(C) { GruSteps<C>(op, call).run(); });
}

}  // namespace plumb::ref_cpu
