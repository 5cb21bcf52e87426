// Steps of a long short-term memory: one product for all gates, then the cell and the state of each row.
#include "ir/ops/lstm.hpp"

#include "ref_cpu/recurrent/recurrence.hpp"

namespace plumb::ref_cpu {
namespace {

/// Gates lie in the order i, o, f, c; what is left of a row is room for the operand of φ.
template <class C>
class LstmSteps {
 public:
  LstmSteps(const ir::ops::Lstm& op, Call& call)
      : op_(op),
        call_(call),
        recurrence_(recurrent::description_of(op, call), call),
        units_(recurrence_.extents().units),
        h_(recurrence_.first_h()),
        c_(recurrence_.first_c()),
        gates_(5 * h_.size()) {}

  void run() {
    for (std::int64_t s = 0; s < recurrence_.extents().steps; ++s) {
      recurrence_.multiply(h_, 0, 4);
      recurrence_.for_each_row([&](std::int64_t row) {
        if (const auto t = recurrence_.position(row, s)) step(row, *t);
        recurrence_.write_step(row, s, h_.data() + row * units_, call_.out(0));
        if (op_.cell_states) recurrence_.write_step(row, s, c_.data() + row * units_, call_.out(3));
      });
    }
    recurrence_.write_last(h_, call_.out(1));
    recurrence_.write_last(c_, call_.out(2));
  }

 private:
  void step(std::int64_t row, std::int64_t t) {
    C *const i = gates_.data() + row * 5 * units_, *const o = i + units_, *const f = o + units_;
    C *const candidate = f + units_, *const bent = candidate + units_;
    C *const h = h_.data() + row * units_, *const c = c_.data() + row * units_;
    recurrence_.sum_gates(row, t, 0, 4, i);
    see_cell(row, 0, c, i);
    recurrent::activate(op_.gate_activation, op_.clip, i, units_);
    if (op_.input_forget) {
      for (std::int64_t j = 0; j < units_; ++j) f[j] = C{1} - i[j];
    } else {
      see_cell(row, 2, c, f);
      recurrent::activate(op_.gate_activation, op_.clip, f, units_);
    }
    recurrent::activate(op_.cell_activation, op_.clip, candidate, units_);
    for (std::int64_t j = 0; j < units_; ++j) bent[j] = c[j] = f[j] * c[j] + i[j] * candidate[j];
    see_cell(row, 1, c, o);
    recurrent::activate(op_.gate_activation, op_.clip, o, units_);
    recurrent::activate(op_.hidden_activation, op_.clip, bent, units_);
    for (std::int64_t j = 0; j < units_; ++j) h[j] = o[j] * bent[j];
  }

  /// Adds P⊙c to a gate: the peephole's gates lie in the order i, o, f.
  void see_cell(std::int64_t row, std::int64_t gate, const C* c, C* z) const {
    const C* const p = recurrence_.peephole(row, gate);
    if (p == nullptr) return;
    for (std::int64_t j = 0; j < units_; ++j) z[j] += p[j] * c[j];
  }

  const ir::ops::Lstm& op_;
  const Call& call_;
  recurrent::Recurrence<C> recurrence_;
  const std::int64_t units_;
  ScratchVector<C> h_, c_, gates_;
};

}  // namespace

void run(const ir::ops::Lstm& op, Call& call) {
  recurrent::with_computed(call, [&]<class C>(C) { LstmSteps<C>(op, call).run(); });
}

}  // namespace plumb::ref_cpu
