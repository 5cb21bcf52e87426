// Lines of log-sum-exp, each of which is one element of a reduction; other reductions are walked as sums.
#include "ir/ops/reduce.hpp"

#include "parity/settle/exponential_line.hpp"

namespace plumb::parity::settle {
namespace {

class LogSumExpLine : public Row {
 public:
  LogSumExpLine(const Operation& operation, const InsideSum& sum, const std::vector<std::int64_t>& elements)
      : node_(operation.node), terms_(operation, sum, elements) {}

  std::optional<double> limit(std::int64_t, double truth) const override {
    if (!terms_.is_finite()) return std::nullopt;
    return fixed(truth) + std::hypot(of_terms(), terms_.of_sum());
  }

  double wide_limit(std::int64_t, double truth) const override {
    return fixed(truth) + std::hypot(of_terms(), terms_.of_sum()) + terms_.creep_of_sum();
  }

  std::optional<double> replay(std::int64_t, bool fused) const override {
    const auto sum = terms_.replay_sum(fused);
    if (!sum) return std::nullopt;
    return terms_.top_f32() + std::log(*sum);
  }

  std::vector<double> results_without_terms(std::int64_t, double truth) const override {
    const auto share = terms_.median_share();
    return share ? std::vector{truth + std::log1p(-*share)} : std::vector<double>();
  }

 private:
  double fixed(double truth) const {
    const double of_log = bounds::formulas::error_of_log(std::log(terms_.sum()));
    return node_.unit() * (of_log + std::abs(terms_.top()) + std::abs(truth));
  }
  double of_terms() const { return node_.lambda() * node_.unit() * terms_.all(); }

  const bounds::Node& node_;
  ExponentialLine terms_;
};

}  // namespace

/// Logarithms of sums of exponentials have rows; the terms of plain sums are walked (parity/element/terms).
std::optional<Rows> rows(const ir::ops::Reduce& op, const Operation& operation) {
  if (op.function != ir::ops::ReduceFunction::log_sum_exp) return std::nullopt;
  const auto lines = std::make_shared<const element::terms::Lines>(operation.operands[0].shape, op.axes);
  const auto sum = std::make_shared<const InsideSum>(operation.node, ir::ops::sum_name(op.function), true);
  return Rows{.number_of = [](std::int64_t index) { return index; },  // an element is a line
              .make = [=, &operation](std::int64_t line) -> std::unique_ptr<Row> {
                return std::make_unique<LogSumExpLine>(operation, *sum, lines->elements(line));
              }};
}

}  // namespace plumb::parity::settle
