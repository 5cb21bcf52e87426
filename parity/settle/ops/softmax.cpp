// Lines of softmax: limits of single elements by their own share and by that of the others.
#include "ir/ops/softmax.hpp"

#include "parity/settle/exponential_line.hpp"

namespace plumb::parity::settle {
namespace {

namespace formulas = bounds::formulas;

class SoftmaxLine : public Row {
 public:
  SoftmaxLine(const Operation& operation, const InsideSum& sum, const std::vector<std::int64_t>& elements)
      : operation_(operation), terms_(operation, sum, elements) {}

  std::optional<double> limit(std::int64_t index, double truth) const override {
    if (!terms_.is_finite()) return std::nullopt;
    return truth == 0 ? 0 : truth * (own(index) + std::hypot(of_others(index), terms_.of_sum()));
  }

  double wide_limit(std::int64_t index, double truth) const override {
    return truth * (own(index) + std::hypot(of_others(index), terms_.of_sum()) + terms_.creep_of_sum());
  }

  std::optional<double> replay(std::int64_t index, bool fused) const override {
    const auto sum = terms_.replay_sum(fused);
    if (!sum) return std::nullopt;
    return std::exp(static_cast<float>(operation_.x(index)) - terms_.top_f32()) / *sum;
  }

  std::vector<double> results_without_terms(std::int64_t, double truth) const override {
    const auto share = terms_.median_share();
    return share ? std::vector{truth / (1 - *share)} : std::vector<double>();
  }

 private:
  double own(std::int64_t index) const {
    const double x = operation_.x(index);
    return operation_.node.unit() *
           (formulas::own_share(terms_.share(x), terms_.most(x)) + formulas::roundings_of_share);
  }
  double of_others(std::int64_t index) const {
    return operation_.node.lambda() * operation_.node.unit() * terms_.others(operation_.x(index));
  }

  const Operation& operation_;
  ExponentialLine terms_;
};

}  // namespace

std::optional<Rows> rows(const ir::ops::Softmax& op, const Operation& operation) {
  return exponential_rows<SoftmaxLine>(operation, op.axis);
}

}  // namespace plumb::parity::settle
