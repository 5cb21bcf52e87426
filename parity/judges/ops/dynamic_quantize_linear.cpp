// The scale is held to the truth's, the zero point to the candidate's scale, and codes to its scale and zero point.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/core/float_format.hpp"
#include "parity/judges/choices.hpp"
#include "parity/judges/limits.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::DynamicQuantizeLinear;

struct FoundRange {
  double low = 0, high = 0;
};

FoundRange found_range(std::span<const double> x) {
  FoundRange range;
  for (const double one : x) range = {std::min(range.low, one), std::max(range.high, one)};
  return range;
}

/// The truth's scale within 3 ulp. Apart where the candidate may take the width for 0, or it leaves the candidate's
/// range.
OutputJudgement judge_scale(const Question& question, const FoundRange& range) {
  Limited scale({});
  scale.truth = question.truth.outputs.at(1);
  const core::FloatFormat format = core::float_format(question.out_type(1).dtype);
  const double truth = scale.truth.as<double>()[0], width = range.high - range.low;
  const double limit = std::isfinite(truth) ? 3 * format.ulp(truth) : 0;
  scale.probable.as<double>()[0] = scale.certain.as<double>()[0] = limit;
  OutputJudgement judged = elements_within(question, 1, std::move(scale));
  const bool may_vanish = question.manner.flushes_subnormals && width > 0 && width < 255 * format.smallest_normal();
  if (!may_vanish && !(std::isfinite(width) && width >= format.overflow())) return judged;
  auto limits = std::make_shared<compare::Limits>(*judged.allowed.limits);
  limits->apart.assign(1, true);
  judged.allowed.limits = std::move(limits);
  return judged;
}

/// Codes of `x` over the scale that the candidate gave; all 0 where that is not finite.
Codes codes_over(double scale, std::span<const double> x, double zero, ir::DType computed) {
  Codes codes{.zero = {std::isfinite(scale) ? zero : 0}, .least = 0, .most = 255};
  for (const double one : x) {
    const double real = std::isfinite(scale) ? one / scale : std::numeric_limits<double>::quiet_NaN();
    codes.real.push_back(real);
    codes.limit.push_back(std::isfinite(real) ? limit_of_quotient(one, scale, computed) : 0);
  }
  return codes;
}

}  // namespace

std::optional<Judge> judge_of(const DynamicQuantizeLinear&) {
  return Judge([](const Question& question) -> Judgement {
    const auto x = question.in[0].as<double>();
    const FoundRange range = found_range(x);
    const ir::DType computed = question.out_type(1).dtype;
    const double scale = ir::convert(question.got.at(1), ir::DType::f64).as<double>()[0];
    const double zero = ir::convert(question.got.at(2), ir::DType::f64).as<double>()[0];
    Codes of_zero = codes_over(scale, std::array{-range.low}, 0, computed);
    of_zero.what = "zero point";
    Judgement judgement = {{judge_codes(question, 0, codes_over(scale, x, zero, computed)),
                            judge_scale(question, range), judge_codes(question, 2, of_zero)}};
    const bool may_vanish = question.manner.flushes_subnormals && scale != 0 &&
                            std::abs(scale) < core::float_format(computed).smallest_normal();
    if (may_vanish)
      for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
        std::ranges::fill(judgement.outputs[k].standing, Standing::wild);
    return judgement;
  });
}

}  // namespace plumb::parity::judges
