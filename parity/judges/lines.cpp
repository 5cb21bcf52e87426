#include "parity/judges/lines.hpp"

#include <cmath>
#include <complex>

#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::judges {
namespace {

/// A widened tensor of reals or complex numbers as complex numbers.
class Numbers {
 public:
  explicit Numbers(const ir::TensorView& x) : wide_(ir::convert(x, ir::DType::c128)) {}
  std::complex<double> at(std::size_t i) const { return wide_.as<std::complex<double>>()[i]; }

 private:
  const ir::Tensor wide_;
};

using bounds::is_finite;
using bounds::LineNorms;
using bounds::norms_of;
using bounds::square_of;

/// One line: the norms of its errors and its truth, the largest error, and whether what is not finite meets its like.
struct Errors {
  double error = 0, truth = 0, largest = 0, stored = 0;
  bool is_finite = true, alike = true;
};

Errors errors_of(const Question& question, std::size_t k, const Numbers& truth, const Numbers& got,
                 const LineLimits& limits, std::size_t line) {
  const auto length = static_cast<std::size_t>(limits.line.length), inner = static_cast<std::size_t>(limits.line.inner);
  const std::size_t first = line / inner * length * inner + line % inner;
  Errors found;
  long double error = 0, size = 0, storage = 0;  // squares
  for (std::size_t i = 0; i < length; ++i) {
    const std::complex<double> y = truth.at(first + i * inner), c = got.at(first + i * inner);
    const double weight = limits.weights.empty() ? 1 : limits.weights[i];
    const bool both = is_finite(y) && is_finite(c);
    found.is_finite &= is_finite(y);
    found.alike &= both || (is_alike(y.real(), c.real()) && is_alike(y.imag(), c.imag()));
    if (!both) continue;
    error += weight * square_of(c - y);
    size += weight * square_of(y);
    found.largest = std::max(found.largest, std::abs(c - y));
    storage += weight * square_of(question.storage(k, std::abs(y)));
  }
  found.error = double(std::sqrt(error));
  found.truth = double(std::sqrt(size));
  found.stored = double(std::sqrt(storage));
  return found;
}

/// Refuses a line whose elements break a rule that holds whatever their values are: its ratio becomes infinite.
void hold_to_rules(const Question& question, std::size_t k, const LineNorms& of_x, const Transform& how,
                   OutputJudgement& output) {
  if (!how.spreads && how.real_at.empty()) return;
  const Numbers got(question.got.at(k));
  for (std::size_t line = 0; line < output.units(); ++line) {
    const auto at = [&](std::int64_t i) { return got.at(output.element(line, static_cast<std::size_t>(i))); };
    bool breaks = false;
    if (how.spreads && !of_x.is_finite[line])
      for (std::int64_t i = 0; i < output.unit.length; ++i) breaks |= is_finite(at(i));
    if (output.standing[line] != Standing::wild)
      for (const std::int64_t i : how.real_at) breaks |= at(i).imag() != 0;
    if (!breaks) continue;
    output.ratio[line] = infinite;
    if (output.standing[line] == Standing::wild) output.standing[line] = Standing::not_finite;
  }
}

/// Limits that all elements of a line share.
compare::Allowed by_line(const ir::Shape& shape, const OutputJudgement& output, const std::vector<double>& limits) {
  compare::Limits made{.probable = ir::Tensor({ir::DType::f64, shape}), .certain = {}};
  const auto values = made.probable.as<double>();
  for (std::size_t line = 0; line < limits.size(); ++line)
    for (std::int64_t i = 0; i < output.unit.length; ++i)
      values[output.element(line, static_cast<std::size_t>(i))] = limits[line];
  made.certain = made.probable;
  return {.rule = compare::Allowed::Rule::within, .limits = std::make_shared<const compare::Limits>(std::move(made))};
}

}  // namespace

OutputJudgement judge_lines(const Question& question, std::size_t k, const LineLimits& limits) {
  OutputJudgement output{.kind = cases::UnitKind::line};
  output.truth = limits.truth.value_or(question.truth.outputs.at(k));
  output.unit = limits.line;
  const Numbers truth(output.truth), got(question.got.at(k));
  const double root = std::sqrt(static_cast<double>(limits.line.length));
  const double least = question.floor(k) * root + limits.tiny_norm;
  const core::FloatFormat computed = core::float_format(core::compute_dtype(question.out_type(k).dtype));
  // Kept subnormals have few digits: they say something where a 0 in their place would be seen.
  const double of_few_digits = question.manner.flushes_subnormals ? 0 : computed.smallest_normal() * root;
  for (std::size_t line = 0; line < limits.norm.size(); ++line) {
    const Errors found = errors_of(question, k, truth, got, limits, line);
    const double limit = limits.norm[line] + found.stored;
    const bool is_wild = !limits.wild.empty() && limits.wild[line];
    double ratio = found.error == 0 ? 0 : found.error / (limit + least), certain = compare::not_computed;
    if (!std::isfinite(limit)) ratio = compare::not_computed;
    if (!limits.element.empty())
      certain = found.largest == 0
                    ? 0
                    : found.largest / (limits.element[line] + found.stored + question.floor(k) + limits.tiny_element);
    if (certain > 1 && certain > ratio) ratio = certain;
    if (!found.alike) ratio = infinite;
    if (!found.is_finite && found.alike) {
      ratio = 0;
      certain = compare::not_computed;
    }
    output.ratio.push_back(ratio);
    output.certain.push_back(certain);
    const double loosest = found.truth < of_few_digits ? compare::loosest_of_subnormals : compare::loosest_of_scale;
    output.standing.push_back(is_wild                                             ? Standing::wild
                              : !found.is_finite                                  ? Standing::not_finite
                              : found.truth == 0                                  ? Standing::silent
                              : limit + limits.tiny_norm <= loosest * found.truth ? Standing::informative
                                                                                  : Standing::loose);
  }
  return output;
}

OutputJudgement judge_transform(const Question& question, std::size_t k, const ir::Tensor& x, const Transform& how) {
  const bounds::TransformFactors factors = bounds::transform_factors(how.length, how.scale);
  constexpr double of_f64 = ir::unit_roundoff(ir::DType::f64), of_long_double = 0x1p-64;
  const ir::Tensor& in_f64 = question.truth.outputs.at(k);
  LineLimits limits{.line = how.line_y, .weights = how.weights_y};
  if (core::compute_dtype(question.out_type(k).dtype) == ir::DType::f64)
    limits.truth = settle::certify::transformed_in_long_double(
        x, in_f64, {how.kind, how.length, how.scale, how.line_x, how.line_y, how.real_at});
  const bool is_long = limits.truth.has_value();
  // Flushing loses a number on every product and sum: these errors do not average out.
  const double floor = question.floor(k), flushed = 4 * factors.tiny_element * floor;
  limits.tiny_norm = question.manner.flushes_subnormals ? flushed : factors.tiny_norm * floor;
  limits.tiny_element = question.manner.flushes_subnormals ? flushed : factors.tiny_element * floor;
  const double u = is_long ? of_f64 : question.unit(k), of_rounding = is_long ? of_f64 : 0;
  const double largest = core::float_format(question.out_type(k).dtype).overflow();
  const LineNorms of_x = norms_of(x, how.line_x, how.weights_x);
  const LineNorms of_y = norms_of(is_long ? *limits.truth : in_f64, how.line_y, how.weights_y);
  std::vector<double> of_truth;
  for (std::size_t n = 0; n < of_y.two.size(); ++n) {
    // An algorithm may leave the range of the type inside although its result does not (ops.md 10).
    const bool is_wild = !of_x.is_finite[n] || !(4 * static_cast<double>(how.length) * of_x.one[n] < largest);
    limits.wild.push_back(is_wild);
    limits.norm.push_back(is_wild ? 0 : (factors.norm * u + of_rounding) * of_y.two[n]);
    limits.element.push_back(is_wild ? 0 : (factors.element * u + of_rounding) * how.scale * of_x.one[n]);
    const double truth_u = is_long ? of_rounding + factors.element * of_long_double : factors.element * of_f64;
    of_truth.push_back(is_wild ? infinite : truth_u * how.scale * of_x.one[n]);
  }
  OutputJudgement output = judge_lines(question, k, limits);
  hold_to_rules(question, k, of_x, how, output);
  output.uncertainty = by_line(question.truth.outputs.at(k).shape(), output, of_truth);
  return output;
}

}  // namespace plumb::parity::judges
