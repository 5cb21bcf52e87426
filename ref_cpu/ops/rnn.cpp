// Steps of a simple recurrent network: one product, one function.
#include "ir/ops/rnn.hpp"

#include "ref_cpu/recurrent/recurrence.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Rnn& op, Call& call) {
  recurrent::with_computed(call, [&]<class C>(C) {
    recurrent::Recurrence<C> recurrence(recurrent::description_of(op, call), call);
    const std::int64_t units = recurrence.extents().units;
    ScratchVector<C> h = recurrence.first_h();
    for (std::int64_t s = 0; s < recurrence.extents().steps; ++s) {
      recurrence.multiply(h, 0, 1);
      recurrence.for_each_row([&](std::int64_t row) {
        C* const state = h.data() + row * units;
        if (const auto t = recurrence.position(row, s)) {
          recurrence.sum_gates(row, *t, 0, 1, state);
          recurrent::activate(op.activation, op.clip, state, units);
        }
        recurrence.write_step(row, s, state, call.out(0));
      });
    }
    recurrence.write_last(h, call.out(1));
  });
}

}  // namespace plumb::ref_cpu
