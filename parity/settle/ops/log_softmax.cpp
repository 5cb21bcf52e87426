// Lines of log-softmax: limits of single elements by the terms of their line, and their replay.
#include "ir/ops/log_softmax.hpp"

#include "parity/settle/exponential_line.hpp"

namespace plumb::parity::settle {
namespace {

class LogSoftmaxLine : public Row {
 public:
  LogSoftmaxLine(const Operation& operation, const InsideSum& sum, const std::vector<std::int64_t>& elements)
      : operation_(operation), terms_(operation, sum, elements) {}

  std::optional<double> limit(std::int64_t index, double truth) const override {
    if (!terms_.is_finite() || !std::isfinite(truth)) return std::nullopt;
    return fixed(index, truth) + std::hypot(of_terms(), terms_.of_sum());
  }

  double wide_limit(std::int64_t index, double truth) const override {
    return fixed(index, truth) + std::hypot(of_terms(), terms_.of_sum()) + terms_.creep_of_sum();
  }

  std::optional<double> replay(std::int64_t index, bool fused) const override {
    const auto sum = terms_.replay_sum(fused);
    if (!sum) return std::nullopt;
    return (static_cast<float>(operation_.x(index)) - terms_.top_f32()) - std::log(*sum);
  }

  std::vector<double> results_without_terms(std::int64_t, double truth) const override {
    const auto share = terms_.median_share();
    return share ? std::vector{truth - std::log1p(-*share)} : std::vector<double>();
  }

 private:
  double fixed(std::int64_t index, double truth) const {
    const double depth = std::abs(operation_.x(index) - terms_.top());
    return operation_.node.unit() * (bounds::formulas::error_of_log(std::log(terms_.sum())) +
                                     bounds::formulas::roundings_of_difference(depth, truth));
  }
  double of_terms() const { return operation_.node.lambda() * operation_.node.unit() * terms_.all(); }

  const Operation& operation_;
  ExponentialLine terms_;
};

}  // namespace

std::optional<Rows> rows(const ir::ops::LogSoftmax& op, const Operation& operation) {
  return exponential_rows<LogSoftmaxLine>(operation, op.axis);
}

}  // namespace plumb::parity::settle
