// The reals behind requantised codes and how far a candidate's own may be from them.
#include "parity/judges/requantized.hpp"

#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/core/powers.hpp"
#include "parity/element/terms/lines.hpp"

namespace plumb::parity::judges {
namespace {

/// A factor of sums: the product of two scales over a third.
struct Factor {
  double value = 0;
  double relative = 0;  ///< how far it may be off with what a product by it adds; infinite where nothing is known of it
  bool is_exact = false;
};

class Factors {
 public:
  Factors(const Requantized& of, double unit)
      : of_(of), format_(core::float_format(core::compute_dtype(of.scales))), unit_(unit) {}

  Factor of(double left, double right) const {
    const double product = left * right;
    Factor factor{.value = product / of_.y_scale, .relative = 4 * unit_};
    factor.is_exact = core::is_power_of_two(left) && core::is_power_of_two(right) && core::is_power_of_two(of_.y_scale);
    const bool is_nothing = left == 0 || right == 0;
    for (const double x : {left, right, product, of_.y_scale})
      if (!is_nothing && std::isfinite(x) && !is_ordinary(x)) factor.relative = infinite;
    return factor;
  }
  /// Whether no sum of this size is rounded.
  bool holds(double sum) const { return std::abs(sum) <= std::ldexp(1.0, format_.fraction_bits + 1); }

 private:
  bool is_ordinary(double x) const {
    return std::abs(x) >= format_.smallest_normal() && std::abs(x) < format_.overflow();
  }

  const Requantized& of_;
  core::FloatFormat format_;
  double unit_;
};

element::terms::Operand operand(const ir::Tensor& x) { return {x.as<double>(), x.shape()}; }

}  // namespace

ir::Tensor read_as(const ir::Tensor& x, ir::Shape shape) {
  return ir::Tensor(ir::TensorView({x.dtype(), std::move(shape)}, x.bytes()));
}

ir::Tensor with_bias(ir::Tensor sums, const ir::Tensor& bias, const ir::Shape& shape) {
  const ir::Tensor wide = ir::convert(read_as(bias, shape), ir::DType::f64);
  const element::terms::Operand added = operand(wide);
  const auto numbers = sums.as<std::int32_t>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double own = element::terms::stretched(added, static_cast<std::int64_t>(i), sums.shape());
    numbers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(numbers[i]) +
                                           static_cast<std::uint32_t>(static_cast<std::int32_t>(own)));
  }
  return sums;
}

OutputJudgement judge_requantized(const Question& question, const Requantized& of) {
  const ir::DType computed = core::compute_dtype(of.scales);
  // Where that is f64 the truth is no better.
  const Factors factors(of, ir::unit_roundoff(computed) * (computed == ir::DType::f64 ? 2 : 1));
  const ir::Shape& shape = of.sums.shape();
  const element::terms::Operand left = operand(of.left_scale), right = operand(of.right_scale);
  const bool is_signed = question.out_type(0).dtype == ir::DType::i8;
  Codes codes{.zero = {of.y_zero}, .least = is_signed ? -128.0 : 0.0, .most = is_signed ? 127.0 : 255.0};
  const auto sums = of.sums.as<std::int32_t>();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Factor factor =
        factors.of(element::terms::stretched(left, at, shape), element::terms::stretched(right, at, shape));
    const double sum = sums[i], real = sum * factor.value;
    const bool is_exact = sum == 0 || !std::isfinite(real) || (factor.is_exact && factors.holds(sum));
    codes.real.push_back(real);
    codes.limit.push_back(is_exact ? 0 : std::isinf(factor.relative) ? infinite : factor.relative * std::abs(real));
  }
  OutputJudgement output = judge_codes(question, 0, codes);
  output.uncertainty = compare::Allowed{.rule = compare::Allowed::Rule::exact};  // the definition is asked, too
  return output;
}

}  // namespace plumb::parity::judges
