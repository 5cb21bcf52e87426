// Rows of states carry their errors along (verdict.md V69); what is read of them is a sum over the states.
// Optimised: it loops over elements or terms.
#include "parity/judges/scans/decayed_scan.hpp"

#include <cmath>

namespace plumb::parity::judges {
namespace {

using ir::kernels::DecayedScan;

/// One element of a state on its way, with the error that it carries (verdict.md V69). Where steps are the same, one
/// after the other, so are their roundings: these do not add up by chance, but in one direction.
class ScannedState {
 public:
  ScannedState(double first, double unit) : value_(first), unit_(unit), error_(unit) {}

  void step(double logarithm, double factor, double added, double vanished) {
    const double kept = factor * value_;
    factors_.step(logarithm);
    value_ = kept + added;
    vanished_ = factor * vanished_ + vanished;
    const bool is_same_factor = logarithm == logarithm_, is_same = is_same_factor && added == added_;
    if (!is_same_factor) {
      error_.step(1, std::abs(by_factor_), 0);
      by_factor_ = 0;
    }
    if (!is_same) {
      error_.step(1, by_step_, 0);
      by_step_ = 0;
    }
    const double of_step = unit_ * std::hypot(2 * added, kept, value_);
    const double most = unit_ * (2 * std::abs(added) + std::abs(kept) + std::abs(value_));
    by_factor_ = factor * by_factor_ + unit_ * factors_.deviation() * kept;
    by_step_ = is_same ? factor * by_step_ + most : by_step_;
    error_.step(factor, is_same ? 0 : of_step, most + unit_ * factors_.certain() * std::abs(kept));
    logarithm_ = logarithm;
    added_ = added;
  }

  double value() const { return value_; }
  double deviation() const { return std::hypot(error_.deviation(), by_factor_, by_step_); }
  double certain() const { return error_.certain() + vanished_; }
  double vanished() const { return vanished_; }  ///< off besides, since numbers on the way were too small

 private:
  double value_, vanished_ = 0;
  FactorErrors factors_;
  const double unit_;
  CarriedError error_;  ///< without what the same steps have in common
  double logarithm_ = std::numeric_limits<double>::quiet_NaN(), added_ = 0;  ///< those of the step before
  double by_factor_ = 0, by_step_ = 0;  ///< by a factor, and by all else of a step, that have come several times
};

/// One row of one batch from its first step to its last.
class Row {
 public:
  Row(const DecayedScan& scan, const Question& question, const ScanManner& manner, ScanOutputs& made, std::int64_t part)
      : scan_(scan),
        question_(question),
        manner_(manner),
        made_(made),
        batch_(part / scan.rows_of_batch()),
        row_(part % scan.rows_of_batch()),
        head_(row_ / scan.rows),
        skip_(scan.has_skip ? at(5, head_) : 0) {
    for (std::int64_t s = 0; s < scan.size; ++s) {
      states_.emplace_back(scan.has_state ? at(question.in.size() - 1, state(s)) : 0, manner.unit);
      is_wild_ = is_wild_ || !manner.holds(states_.back().value());
    }
  }

  void walk() {
    is_wild_ = is_wild_ || !manner_.holds(skip_);
    if (scan_.steps == 0) end_without_steps();
    for (std::int64_t t = 0; t < scan_.steps; ++t) {
      for (std::int64_t s = 0; s < scan_.size; ++s) step(t, s);
      read(t);
    }
  }

 private:
  double at(std::size_t operand, std::int64_t i) const {
    return question_.in[operand].as<double>()[static_cast<std::size_t>(i)];
  }
  std::int64_t state(std::int64_t s) const { return (batch_ * scan_.rows_of_batch() + row_) * scan_.size + s; }
  std::int64_t element(std::int64_t t) const { return (batch_ * scan_.steps + t) * scan_.rows_of_batch() + row_; }
  std::int64_t of_group(std::int64_t t, std::int64_t s) const {
    return ((batch_ * scan_.steps + t) * scan_.groups + scan_.group_of(head_)) * scan_.size + s;
  }

  void end_without_steps() {
    for (std::int64_t s = 0; s < scan_.size; ++s) {
      if (is_wild_)
        made_.outputs[1].apart[static_cast<std::size_t>(state(s))] = 1;
      else
        made_.outputs[1].set(state(s), 0, 0, 0);
    }
  }

  void step(std::int64_t t, std::int64_t s) {
    ScannedState& one = states_[static_cast<std::size_t>(s)];
    const double dt = at(1, (batch_ * scan_.steps + t) * scan_.heads + head_), x = at(0, element(t));
    const double a = at(2, scan_.differs_by_state ? head_ * scan_.size + s : head_);
    const double b = at(3, of_group(t, s)), c = at(4, of_group(t, s));
    const double logarithm = dt * a, factor = std::exp(logarithm), kept = factor * one.value();
    // Underflow: products, the factor, its logarithm, and operands may become 0.
    const auto lost = [&](double one_operand) { return manner_.lost(one_operand); };
    const double of_products = manner_.floor * (2 + std::abs(b) + std::abs(one.value()) + std::abs(kept));
    const double of_logarithm = std::abs(kept) * (lost(dt) * std::abs(a) + std::abs(dt) * lost(a));
    const double of_added = std::abs(x * b) * lost(dt) + std::abs(dt * b) * lost(x) + std::abs(dt * x) * lost(b);
    one.step(logarithm, factor, dt * x * b, of_products + of_logarithm + of_added);
    for (const double x_on_the_way : {dt, x, a, b, c, factor, dt * x, kept, dt * x * b, one.value()})
      is_wild_ = is_wild_ || !manner_.holds(x_on_the_way);
    made_.given(t, scan_.steps, state(s), [&](ScanOutput& output, std::int64_t i) {
      output.set(i, one.deviation(), one.vanished(), one.certain());
      given_.push_back(&output.apart[static_cast<std::size_t>(i)]);
    });
  }

  /// y of step t; whatever is given of a step into which something wild came is apart.
  void read(std::int64_t t) {
    products_.clear();
    double variance = 0, most = 0, vanished = 0;
    for (std::int64_t s = 0; s < scan_.size; ++s) {
      const ScannedState& one = states_[static_cast<std::size_t>(s)];
      const double c = at(4, of_group(t, s)), deviation = c * one.deviation();
      products_.push_back(c * one.value());
      variance += deviation * deviation;
      most += std::abs(c) * one.certain();
      vanished += std::abs(c) * one.vanished() + manner_.lost(c) * std::abs(one.value()) + 2 * manner_.floor;
    }
    if (scan_.has_skip) {
      const double x = at(0, element(t));
      products_.push_back(skip_ * x);
      vanished += manner_.lost(skip_) * std::abs(x) + std::abs(skip_) * manner_.lost(x) + 2 * manner_.floor;
    }
    double y = 0, sizes = 0;
    for (const double p : products_) {
      y += p;
      sizes += std::abs(p);
    }
    is_wild_ = is_wild_ || !manner_.holds(sizes);  // some order of them goes as far
    const double besides = 2 * manner_.unit * std::abs(y) + vanished;
    const std::int64_t i = element(t);
    made_.own().set(i, std::hypot(std::sqrt(variance), manner_.deviation_of(products_, i)), besides,
                    most + manner_.most_of(products_) + besides);
    made_.own().apart[static_cast<std::size_t>(i)] = is_wild_;
    for (std::uint8_t* const apart : given_) *apart = is_wild_;
    given_.clear();
  }

  const DecayedScan& scan_;
  const Question& question_;
  const ScanManner& manner_;
  ScanOutputs& made_;
  const std::int64_t batch_, row_, head_;
  const double skip_;
  bool is_wild_ = false;
  std::vector<ScannedState> states_;
  std::vector<double> products_;
  std::vector<std::uint8_t*> given_;
};

}  // namespace

Judge judge_of_decayed_scan(const std::function<DecayedScan(ir::Types in)>& scan_of) {
  const auto walk = [scan_of](const Question& question, const ScanManner& manner, ScanOutputs& made) {
    const DecayedScan scan = scan_of(types_of(question));
    for_each_part(scan.batches * scan.rows_of_batch(),
                  [&](std::int64_t part) { Row(scan, question, manner, made, part).walk(); });
  };
  const auto of = [scan_of](ir::Types in) {
    const DecayedScan scan = scan_of(in);
    return ScanKind{scan.computed, scan.states.every};
  };
  return judge_of_scan(of, walk);
}

}  // namespace plumb::parity::judges
