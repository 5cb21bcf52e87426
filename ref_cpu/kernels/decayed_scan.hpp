#pragma once

#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/scan.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

namespace plumb::ref_cpu::kernels {

/// Scans whose states decay by factors that are given, step after step. Independent are the rows of each batch, of
/// which a task takes some that lie beside each other.
template <class C>
class DecayedScanKernel {
 public:
  DecayedScanKernel(const ir::kernels::DecayedScan& scan, Call& call)
      : scan_(scan),
        x_(call.in(0)),
        dt_(call.in(1)),
        a_(call.in(2)),
        b_(call.in(3)),
        c_(call.in(4)),
        y_(call.out(0)),
        states_(scan.states, scan.has_state, call) {
    if (scan.has_skip) d_.emplace(call.in(5));
  }

  void run() {
    constexpr std::int64_t together = 16;
    const std::int64_t rows = scan_.rows_of_batch(), blocks = (rows + together - 1) / together;
    parallel_for(scan_.batches * blocks, 1, [&](std::int64_t task, std::int64_t end) {
      ScratchVector<C> h(static_cast<std::size_t>(together * scan_.size)),
          factors(static_cast<std::size_t>(scan_.size));
      for (; task < end; ++task) {
        const std::int64_t batch = task / blocks, first = task % blocks * together;
        run_rows(batch, first, std::min(rows, first + together), h.data(), factors.data());
      }
    });
    y_.store();
    states_.store();
  }

 private:
  void run_rows(std::int64_t batch, std::int64_t first, std::int64_t end, C* h, C* factors) {
    const std::int64_t in_state = (batch * scan_.rows_of_batch() + first) * scan_.size,
                       count = (end - first) * scan_.size;
    states_.begin(in_state, count, h);
    for (std::int64_t t = 0; t < scan_.steps; ++t) {
      for (std::int64_t row = first; row < end; ++row)
        take_step(batch * scan_.steps + t, row, h + (row - first) * scan_.size, factors);
      states_.after(t, in_state, count, h);
    }
    states_.end(in_state, count, h);
  }

  void take_step(std::int64_t step, std::int64_t row, C* h, C* factors) {
    const std::int64_t head = row / scan_.rows, of_group = (step * scan_.groups + scan_.group_of(head)) * scan_.size;
    const C dt = *dt_.at(step * scan_.heads + head), x = *x_.at(step * scan_.rows_of_batch() + row), w = dt * x;
    const C *const b = b_.at(of_group), *const c = c_.at(of_group);
    if (scan_.differs_by_state) {
      const C* const a = a_.at(head * scan_.size);
      for (std::int64_t s = 0; s < scan_.size; ++s) factors[s] = exp_of(dt * a[s]);
    } else {
      std::fill_n(factors, scan_.size, exp_of(dt * *a_.at(head)));
    }
    for (std::int64_t s = 0; s < scan_.size; ++s) h[s] = factors[s] * h[s] + w * b[s];
    C y = sum(scan_.size, [&](std::int64_t s) { return c[s] * h[s]; });
    if (d_) y += *d_->at(head) * x;
    *y_.at(step * scan_.rows_of_batch() + row) = y;
  }

  const ir::kernels::DecayedScan& scan_;
  const ScanOperand<C> x_, dt_, a_, b_, c_;
  std::optional<ScanOperand<C>> d_;
  ScanResult<C> y_;
  ScanStateValues<C> states_;
};

inline void run_decayed_scan(const ir::kernels::DecayedScan& scan, Call& call) {
  visit_computed(scan.computed, [&]<class C>(C) { DecayedScanKernel<C>(scan, call).run(); });
}

}  // namespace plumb::ref_cpu::kernels
