// The gated delta rule, step after step; independent are the columns of each head's state, of which a task takes some.
#include "ir/ops/gated_delta_net.hpp"

#include "ref_cpu/kernels/scan.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

namespace plumb::ref_cpu {
namespace {

constexpr std::int64_t together = 16;  // columns of a task

/// All that follows from the types of the operands.
struct Facts {
  Facts(const ir::ops::GatedDeltaNet& op, const ir::TensorTypes& types)
      : extents(op.extents(types)),
        states(op.states(types)),
        computed(op.computed(types)),
        decays_rows(op.decays_rows(types)),
        factor(op.factor(types)) {}

  ir::ops::GatedDeltaNet::Extents extents;
  ir::kernels::ScanStates states;
  ir::DType computed;
  bool decays_rows;
  double factor;
};

template <class C>
class DeltaNet {
 public:
  DeltaNet(const ir::ops::GatedDeltaNet& op, const Facts& facts, Call& call)
      : e_(facts.extents),
        q_(call.in(0)),
        k_(call.in(1)),
        v_(call.in(2)),
        decays_rows_(facts.decays_rows),
        scale_(static_cast<C>(facts.factor)),
        o_(call.out(0)),
        states_(facts.states, op.has_state, call) {
    if (op.has_decay) decay_.emplace(call.in(op.decay_operand()));
    if (op.has_beta) beta_.emplace(call.in(op.beta_operand()));
  }

  void run() {
    const std::int64_t blocks = (e_.dv + together - 1) / together;
    parallel_for(e_.B * e_.H * std::max<std::int64_t>(1, blocks), 1, [&](std::int64_t task, std::int64_t end) {
      ScratchVector<C> columns(static_cast<std::size_t>(e_.dk * together)), factors(static_cast<std::size_t>(e_.dk));
      for (; task < end && blocks > 0; ++task) {
        const Columns part{task / blocks / e_.H, task / blocks % e_.H, task % blocks * together,
                           std::min(together, e_.dv - task % blocks * together)};
        run_columns(part, columns.data(), factors.data());
      }
    });
    o_.store();
    states_.store();
  }

 private:
  /// Columns of the state of one head of one batch.
  struct Columns {
    std::int64_t batch, head, first, count;
  };

  std::int64_t place(const Columns& part, std::int64_t row) const {
    return ((part.batch * e_.H + part.head) * e_.dk + row) * e_.dv + part.first;
  }

  void run_columns(const Columns& part, C* s, C* factors) {
    for (std::int64_t i = 0; i < e_.dk; ++i) states_.begin(place(part, i), part.count, s + i * together);
    for (std::int64_t t = 0; t < e_.L; ++t) {
      const std::int64_t step = part.batch * e_.L + t, of_head = step * e_.H + part.head;
      if (decay_) decay_columns(of_head, s, factors);
      add_value(part, of_head, s);
      const std::int64_t queries = e_.Hq / e_.H;
      for (std::int64_t g = part.head * queries; g < (part.head + 1) * queries; ++g) answer(part, step * e_.Hq + g, s);
      for (std::int64_t i = 0; i < e_.dk; ++i) states_.after(t, place(part, i), part.count, s + i * together);
    }
    for (std::int64_t i = 0; i < e_.dk; ++i) states_.end(place(part, i), part.count, s + i * together);
  }

  void decay_columns(std::int64_t of_head, C* s, C* factors) const {
    if (decays_rows_) {
      const C* const logs = decay_->at(of_head * e_.dk);
      for (std::int64_t i = 0; i < e_.dk; ++i) factors[i] = kernels::exp_of(logs[i]);
    } else {
      std::fill_n(factors, e_.dk, kernels::exp_of(*decay_->at(of_head)));
    }
    for (std::int64_t i = 0; i < e_.dk; ++i)
      for (std::int64_t j = 0; j < together; ++j) s[i * together + j] *= factors[i];
  }

  /// Σ_i s_ij x_i of every column, in a chain.
  void products(const C* s, const C* x, C* sums) const {
    std::fill_n(sums, together, C{0});
    for (std::int64_t i = 0; i < e_.dk; ++i)
      for (std::int64_t j = 0; j < together; ++j) sums[j] += s[i * together + j] * x[i];
  }

  void add_value(const Columns& part, std::int64_t of_head, C* s) const {
    const C *const k = k_.at(of_head * e_.dk), *const v = v_.at(of_head * e_.dv + part.first);
    C change[together] = {};
    if (beta_) {
      const C beta = *beta_->at(of_head);
      C known[together];
      products(s, k, known);
      for (std::int64_t j = 0; j < part.count; ++j) change[j] = beta * (v[j] - known[j]);
    } else {
      std::copy_n(v, part.count, change);
    }
    for (std::int64_t i = 0; i < e_.dk; ++i)
      for (std::int64_t j = 0; j < together; ++j) s[i * together + j] += k[i] * change[j];
  }

  void answer(const Columns& part, std::int64_t of_query, const C* s) {
    C sums[together];
    products(s, q_.at(of_query * e_.dk), sums);
    C* const o = o_.at(of_query * e_.dv + part.first);
    for (std::int64_t j = 0; j < part.count; ++j) o[j] = scale_ * sums[j];
  }

  const ir::ops::GatedDeltaNet::Extents& e_;
  const kernels::ScanOperand<C> q_, k_, v_;
  std::optional<kernels::ScanOperand<C>> decay_, beta_;
  const bool decays_rows_;
  const C scale_;
  kernels::ScanResult<C> o_;
  kernels::ScanStateValues<C> states_;
};

}  // namespace

void run(const ir::ops::GatedDeltaNet& op, Call& call) {
  const Facts& facts = call.kept([&] { return Facts(op, kernels::types_of(call)); });
  kernels::visit_computed(facts.computed, [&]<class C>(C) { DeltaNet<C>(op, facts, call).run(); });
}

}  // namespace plumb::ref_cpu
