// Elements of a causal convolution with silu one by one: what silu makes of a sum that is off by its own terms.
#include "ir/ops/causal_conv.hpp"

#include <cmath>

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"
#include "parity/core/float_format.hpp"
#include "parity/settle/inside_sum.hpp"
#include "parity/settle/rows.hpp"

namespace plumb::parity::settle {
namespace {

using ir::ops::CausalActivation;
using ir::ops::CausalConv;

double silu_of(double x) { return x / (1 + std::exp(-x)); }

/// One element, which shares nothing with others.
class SiluOfSum : public Row {
 public:
  SiluOfSum(const bounds::Node& node, const InsideSum& how, element::terms::ElementSum sum)
      : node_(node), how_(how), sum_(std::move(sum)) {
    for (const element::terms::Product& term : sum_.terms) total_ += term.value();
    for (const element::terms::Product& term : sum_.added) total_ += term.value();
  }

  std::optional<double> limit(std::int64_t, double truth) const override {
    if (!std::isfinite(total_)) return std::nullopt;
    return moved(how_.error(sum_).probable) + of_silu(truth);
  }
  double wide_limit(std::int64_t, double truth) const override { return moved(how_.wide_error(sum_)) + of_silu(truth); }

  std::optional<double> replay(std::int64_t, bool fused) const override {
    std::vector<float> a, b;
    for (const element::terms::Product& term : sum_.terms) {
      a.push_back(static_cast<float>(term.a));
      b.push_back(static_cast<float>(term.b));
    }
    auto sum = how_.replay(a, b, fused);
    if (!sum) return std::nullopt;
    for (const element::terms::Product& term : sum_.added) *sum += static_cast<float>(term.value());
    return silu_of(*sum);
  }

  /// An infinity stays one, or becomes NaN or 0: -infinity by 1 + e^infinity.
  bool overflows_in_some_order() const override {
    return sums::overflows_in_some_order(sum_, core::compute_dtype(node_.type().dtype));
  }

 private:
  /// The larger change of silu where the sum is off by `error` to either side.
  double moved(double error) const {
    const double y = silu_of(total_);
    return std::max(std::abs(silu_of(total_ + error) - y), std::abs(silu_of(total_ - error) - y));
  }
  double of_silu(double truth) const {
    return bounds::formulas::error_of(ir::ops::UnaryFunction::silu) * node_.unit() * std::abs(truth);
  }

  const bounds::Node& node_;
  const InsideSum& how_;
  const element::terms::ElementSum sum_;
  double total_ = 0;
};

}  // namespace

/// Without silu the terms are walked (parity/element/terms).
std::optional<Rows> rows(const CausalConv& op, const Operation& operation) {
  if (op.activation != CausalActivation::silu || operation.node.output != 0) return std::nullopt;
  CausalConv plain = op;
  plain.activation = CausalActivation::none;
  const auto walker = element::terms::find_walker(plain, operation.operands, operation.y);
  const bool is_exact = bounds::has_exact_products(operation.node);
  const auto how = std::make_shared<const InsideSum>(operation.node, ir::SumName::product, is_exact);
  return Rows{.number_of = [](std::int64_t index) { return index; },
              .make = [=, &operation](std::int64_t index) -> std::unique_ptr<Row> {
                element::terms::ElementSum sum;
                (*walker)(index, sum);
                return std::make_unique<SiluOfSum>(operation.node, *how, std::move(sum));
              }};
}

}  // namespace plumb::parity::settle
