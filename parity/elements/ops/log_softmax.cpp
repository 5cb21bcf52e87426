#include "ir/ops/log_softmax.hpp"

#include "parity/bounds/exponential_terms.hpp"
#include "parity/bounds/function_limits.hpp"
#include "parity/elements/exponential_line.hpp"

namespace plumb::parity::elements {
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
    return fixed(index, truth) + of_terms() + terms_.wide_of_sum();
  }

  std::optional<double> replay(std::int64_t index, bool fused) const override {
    const auto sum = terms_.replay_sum(fused);
    if (!sum) return std::nullopt;
    return (static_cast<float>(x_at(index)) - terms_.top_f32()) - std::log(*sum);
  }

 private:
  double x_at(std::int64_t index) const { return operation_.operands[0].values[static_cast<std::size_t>(index)]; }
  double fixed(std::int64_t index, double truth) const {
    const double of_log = 2 * bounds::limit_of(ir::ops::UnaryFunction::log)->ulps * std::abs(std::log(terms_.sum()));
    const double of_element = std::abs(x_at(index) - terms_.top()) + std::abs(truth);
    return operation_.node.unit() * (of_log + of_element);
  }
  double of_terms() const { return operation_.node.lambda() * operation_.node.unit() * terms_.all(); }

  const Operation& operation_;
  ExponentialLine terms_;
};

}  // namespace

std::optional<Rows> rows(const ir::ops::LogSoftmax& op, const Operation& operation) {
  const auto lines = std::make_shared<const terms::Lines>(operation.y, std::vector{op.axis});
  const auto sum = std::make_shared<const InsideSum>(operation.node, bounds::row_sum, true);
  return Rows{.number_of = [=](std::int64_t index) { return lines->line_of(index); },
              .make = [=, &operation](std::int64_t line) -> std::unique_ptr<Row> {
                return std::make_unique<LogSoftmaxLine>(operation, *sum, lines->elements(line));
              }};
}

}  // namespace plumb::parity::elements
