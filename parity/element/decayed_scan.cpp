// One element of a scan: the states that it is read of, or is one of, from the first step on.
#include "parity/element/decayed_scan.hpp"

namespace plumb::parity::element {
namespace {

/// A row of states of one head of one batch.
class Row {
 public:
  Row(const DecayedRows& scan, const Call& call, std::int64_t batch, std::int64_t row)
      : scan_(scan), call_(call), batch_(batch), row_(row), head_(row / scan.rows) {}

  /// State `s` after so many steps.
  Real state(std::int64_t s, std::int64_t steps) const {
    const std::int64_t all_rows = scan_.heads * scan_.rows;
    Real h;
    if (scan_.has_state) h = call_.number(call_.operands() - 1, (batch_ * all_rows + row_) * scan_.size + s).re;
    for (std::int64_t t = 0; t < steps; ++t) {
      const Real dt = call_.number(1, step(t) * scan_.heads + head_).re;
      const Real a = call_.number(2, scan_.factor_by_state ? head_ * scan_.size + s : head_).re;
      h = exp(dt * a) * h + dt * x(t) * call_.number(3, in_group(t, s)).re;
    }
    return h;
  }
  Real y(std::int64_t t) const {
    Sum sum;
    for (std::int64_t s = 0; s < scan_.size; ++s) sum.add(call_.number(4, in_group(t, s)).re, state(s, t + 1));
    if (scan_.has_skip) sum.add(call_.number(5, head_).re, x(t));
    return sum.total();
  }

 private:
  std::int64_t step(std::int64_t t) const { return batch_ * scan_.steps + t; }
  std::int64_t in_group(std::int64_t t, std::int64_t s) const {
    const std::int64_t group = head_ / (scan_.heads / scan_.groups);
    return (step(t) * scan_.groups + group) * scan_.size + s;
  }
  Real x(std::int64_t t) const { return call_.number(0, step(t) * scan_.heads * scan_.rows + row_).re; }

  const DecayedRows& scan_;
  const Call& call_;
  const std::int64_t batch_, row_, head_;
};

}  // namespace

Number decayed_element(const DecayedRows& scan, const Call& call) {
  const std::int64_t all_rows = scan.heads * scan.rows, index = index_of(call.at(), call.out());
  if (call.output() == 0) {
    const std::int64_t step = index / all_rows;
    return Row(scan, call, step / scan.steps, index % all_rows).y(step % scan.steps);
  }
  const std::int64_t s = index % scan.size, row = index / scan.size % all_rows, rest = index / scan.size / all_rows;
  if (call.output() == 1) return Row(scan, call, rest, row).state(s, scan.steps);
  const std::int64_t batches = call.in(0)[0];
  return Row(scan, call, rest % batches, row).state(s, (rest / batches + 1) * scan.every);
}

}  // namespace plumb::parity::element
