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

bool is_finite(const std::complex<double>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }
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
  for (std::size_t i = 0; i < length; ++i) {
    const std::complex<double> y = truth.at(first + i * inner), c = got.at(first + i * inner);
    const double weight = limits.weights.empty() ? 1 : limits.weights[i];
    const bool both = is_finite(y) && is_finite(c);
    found.is_finite &= is_finite(y);
    found.alike &= both || (is_alike(y.real(), c.real()) && is_alike(y.imag(), c.imag()));
    if (!both) continue;
    found.error += weight * std::norm(c - y), found.truth += weight * std::norm(y);
    found.largest = std::max(found.largest, std::abs(c - y));
    const double stored = question.storage(k, std::abs(y));
    found.stored += weight * stored * stored;
  }
  found.error = std::sqrt(found.error), found.truth = std::sqrt(found.truth), found.stored = std::sqrt(found.stored);
  return found;
}

}  // namespace

OutputJudgement judge_lines(const Question& question, std::size_t k, const LineLimits& limits) {
  OutputJudgement output{.kind = cases::UnitKind::line};
  output.truth = question.truth.outputs.at(k), output.unit = limits.line;
  const Numbers truth(output.truth), got(question.got.at(k));
  const double least = question.floor(k) * std::sqrt(static_cast<double>(limits.line.length));
  for (std::size_t line = 0; line < limits.norm.size(); ++line) {
    const Errors found = errors_of(question, k, truth, got, limits, line);
    const double limit = limits.norm[line] + found.stored;
    const bool is_wild = !limits.wild.empty() && limits.wild[line];
    double ratio = found.error == 0 ? 0 : found.error / (limit + least), certain = compare::not_computed;
    if (!std::isfinite(limit)) ratio = compare::not_computed;
    if (!limits.element.empty())
      certain = found.largest == 0 ? 0 : found.largest / (limits.element[line] + found.stored + question.floor(k));
    if (certain > 1 && certain > ratio) ratio = certain;
    if (!found.alike) ratio = infinite;
    if (!found.is_finite && found.alike) ratio = 0, certain = compare::not_computed;
    output.ratio.push_back(ratio), output.certain.push_back(certain);
    output.standing.push_back(is_wild                                            ? Standing::wild
                              : !found.is_finite                                 ? Standing::not_finite
                              : found.truth == 0                                 ? Standing::silent
                              : limit <= compare::loosest_of_scale * found.truth ? Standing::informative
                                                                                 : Standing::loose);
  }
  return output;
}

LineNorms norms_of(const ir::Tensor& x, const compare::Line& line, std::span<const double> weights) {
  const Numbers numbers(x);
  const auto length = static_cast<std::size_t>(line.length), inner = static_cast<std::size_t>(line.inner);
  const std::size_t count = length == 0 ? 0 : static_cast<std::size_t>(x.elements()) / length;
  LineNorms norms;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t first = n / inner * length * inner + n % inner;
    double one = 0, two = 0;
    bool finite = true;
    for (std::size_t i = 0; i < length; ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      if (weight == 0) continue;  // what is ignored may be anything
      const std::complex<double> z = numbers.at(first + i * inner);
      finite &= is_finite(z);
      one += weight * std::abs(z), two += weight * std::norm(z);
    }
    norms.one.push_back(one), norms.two.push_back(std::sqrt(two)), norms.is_finite.push_back(finite);
  }
  return norms;
}

TransformFactors transform_factors(std::int64_t length) {
  if (length <= 1) return {};
  std::int64_t rest = length;
  for (const std::int64_t prime : {2, 3, 5, 7})
    while (rest % prime == 0) rest /= prime;
  const double depth = std::log2(static_cast<double>(length));
  return rest == 1 ? TransformFactors{1.5 * std::sqrt(depth), 5 * depth}
                   : TransformFactors{3 * std::sqrt(depth), 15 * depth};
}

OutputJudgement judge_transform(const Question& question, std::size_t k, const ir::Tensor& x, const Transform& how) {
  const TransformFactors factors = transform_factors(how.length);
  const double u = question.unit(k), largest = core::float_format(question.out_type(k).dtype).overflow();
  const LineNorms of_x = norms_of(x, how.line_x, how.weights_x);
  const LineNorms of_y = norms_of(question.truth.outputs.at(k), how.line_y, how.weights_y);
  LineLimits limits{.line = how.line_y, .weights = how.weights_y};
  for (std::size_t n = 0; n < of_y.two.size(); ++n) {
    // An algorithm may leave the range of the type inside although its result does not (ops.md 10).
    const bool is_wild = !of_x.is_finite[n] || !(4 * static_cast<double>(how.length) * of_x.one[n] < largest);
    limits.wild.push_back(is_wild);
    limits.norm.push_back(is_wild ? 0 : factors.norm * u * of_y.two[n]);
    limits.element.push_back(is_wild ? 0 : factors.element * u * how.scale * of_x.one[n]);
  }
  return judge_lines(question, k, limits);
}

}  // namespace plumb::parity::judges
