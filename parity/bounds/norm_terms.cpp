#include "parity/bounds/norm_terms.hpp"

#include <cmath>

#include "ir/ops/compare.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"

namespace plumb::parity::bounds {
namespace {

/// The terms of a line and what is known of them.
struct LineStatistics {
  double count = 0;
  Real mean, d, variance;
};

LineStatistics statistics_of(const Node& node, const Norm& norm) {
  LineStatistics line{.count = 1, .mean = node.builder.constant(0), .d = norm.x, .variance = {}};
  for (const std::int64_t axis : norm.axes)
    line.count *= static_cast<double>(norm.x.shape()[norm.x.shape().axis(axis)]);
  if (norm.centred) {
    line.mean = (1 / line.count) * sum(norm.x, norm.axes);
    line.d = norm.x - line.mean;
  }
  line.variance = (1 / line.count) * sum(square(line.d), norm.axes);
  return line;
}

/// The error of a mean that is one rounded number.
Bound rounded_mean_error(const Node& part, const Norm& norm, const LineStatistics& line) {
  const SumSpread spread = spread_of(part, static_cast<std::int64_t>(line.count), true);
  const double u = part.unit(), n = line.count, of_size = 2 + spread.of_size;
  const Real squares = (spread.of_square + of_size * of_size) * square(line.mean) +
                       (spread.of_squares / (n * n)) * sum(square(norm.x), norm.axes);
  const Real sizes = (1 / n) * sum(abs(norm.x), norm.axes);
  return {(part.lambda() * u) * sqrt(squares), u * (spread.certain * sizes + of_size * abs(line.mean))};
}

/// The error of the sum of the differences from a mean: what makes up for that mean's rounding, where it goes on as two
/// numbers. `of_mean` is the error of the first.
Bound second_mean_error(const Node& part, const Norm& norm, const LineStatistics& line, const Bound& of_mean) {
  const SumSpread spread = spread_of(part, static_cast<std::int64_t>(line.count), true);
  const double u = part.unit(), n = line.count;
  const Real chance = (part.lambda() * u) * sqrt(((spread.of_squares + 1) / n) * line.variance);
  const Real sizes = (1 / n) * sum(abs(line.d), norm.axes);
  return Bound{chance, (u * (spread.certain + 2)) * sizes} +
         Bound{(u * std::sqrt(spread.of_square)) * of_mean.probable, (u * spread.certain) * of_mean.certain};
}

/// The error of the mean by which a line is centred.
struct MeanError {
  Bound first, whole;  ///< that of its first number, and of what is taken off in the end
  bool is_pair = false;
};

MeanError mean_error(const Node& node, const Norm& norm, const LineStatistics& line) {
  const Bound none = both(node.builder.constant(0));
  if (!norm.centred || line.count <= 1) return {none, none};  // the mean of one element is that element
  const Node part = node.with_sum(ir::SumName::mean);
  const Bound first = rounded_mean_error(part, norm, line);
  const bool is_pair = part.arithmetic.sum && !part.arithmetic.sum->is_rounded;
  return {first, is_pair ? second_mean_error(part, norm, line, first) : first, is_pair};
}

/// The error of Σd²/n, and of what the error of the mean leaves in it: its square, where nothing takes that off.
Bound variance_error(const Node& node, const Norm& norm, const LineStatistics& line, const MeanError& of_mean) {
  const Node part = node.with_sum(norm.centred ? ir::SumName::variance : ir::SumName::squares);
  const SumSpread spread = spread_of(part, static_cast<std::int64_t>(line.count), false);
  const double u = node.unit(), n = line.count,
               of_each = formulas::roundings_of_variance(merges_slices(part.arithmetic)) + spread.of_size;
  const double of_square = spread.of_square + of_each * of_each, certain = u * (spread.certain + of_each);
  const Real squares =
      of_square * square(line.variance) + (spread.of_squares / (n * n)) * sum(square(square(line.d)), norm.axes);
  const Bound of_sum{(node.lambda() * u) * sqrt(squares), certain * line.variance};
  const Bound left = square(of_mean.first);
  if (!of_mean.is_pair) return of_sum + left;
  return of_sum + square(of_mean.whole) +
         Bound{(node.lambda() * u * std::sqrt(of_square)) * left.probable, certain * left.certain};
}

/// The losses where numbers below the smallest normal may be flushed to 0 (verdict.md V35): operands
/// themselves, each difference from the mean and its square, every partial sum, the running errors of these, quotients.
/// Where they are kept, a mean is rounded to a fixed place.
struct Vanished {
  Real of_mean, of_variance, of_y;
};

Vanished vanished_of(const Node& node, const Norm& norm, const LineStatistics& line) {
  const double f = node.flushed();
  const Real none = node.builder.constant(0);
  if (f == 0) return {norm.centred ? node.builder.constant(node.spacing() / 2) : none, none, none};
  const auto mean = [&](Real x) { return (1 / line.count) * sum(x, norm.axes); };
  const Real of_x = may_vanish(norm.x, f);
  // n partial sums, their n running errors, n differences and the quotient
  const Real of_mean = norm.centred ? mean(of_x) + 4 * f : none;
  const Real of_d = norm.centred ? of_x + of_mean + 2 * f : of_x;
  // n squares, n partial sums, n running errors, what the mean left, the quotient, and its sum with epsilon
  const Real of_variance = mean((2 * abs(line.d) + of_d) * of_d) + 6 * f;
  return {of_mean, of_variance, of_d};
}

/// The further losses of y: the standardised number, before and after it is scaled, the scale and the bias.
Real vanished_behind(const Node& node, const Norm& norm, Real standard) {
  const double f = node.flushed();
  Real lost = node.builder.constant(2 * f);
  if (norm.scale) lost = lost + f * abs(*norm.scale) + (standard + f) * may_vanish(*norm.scale, f);
  return norm.bias ? lost + may_vanish(*norm.bias, f) : lost;
}

/// `usual` where the relative error of an inverse deviation is small enough for it, else `most`.
Real unless_large(Real relative, Real usual, Real most) {
  ExpressionBuilder& builder = *relative.builder;
  const Real is_large = builder.apply(ir::ops::Compare{ir::ops::Comparison::greater},
                                      {relative, builder.constant(formulas::largest_known_error)});
  return builder.apply(ir::ops::Where{}, {is_large, most, usual});
}

/// How far all of a line are shifted by what its differences were rounded by. A mean that goes on as a pair ends in the
/// mean of rounded differences, and these err alike where the numbers have few bits, as those of 16 bits have: numbers
/// of one binade that are multiples of a large power of two are all rounded by the same, and so are sums of them: of
/// these each addition may lose the same share of the root mean square of what is added up. Differences from the
/// means of slices are at most twice as large in the mean.
Real shift_error(const Node& node, const Norm& norm, const LineStatistics& line, bool is_pair) {
  const Node part = node.with_sum(ir::SumName::mean);
  if (!(norm.centred && is_pair)) return node.builder.constant(0);
  const SumSpread spread = spread_of(part, static_cast<std::int64_t>(line.count), true);
  const bool has_few_bits = ir::unit_roundoff(node.in_types.at(0).dtype) > 0x1p-12;
  const double of_sums = has_few_bits ? std::sqrt(spread.of_squares) : 0,
               of_slices = merges_slices(part.arithmetic) ? 2 : 1;
  return (of_slices * (1 + of_sums) * node.unit() / line.count) * sum(abs(line.d), norm.axes);
}

}  // namespace

bool merges_slices(const Arithmetic& arithmetic) {
  return arithmetic.sum && sums::is_compensated(*arithmetic.sum) && arithmetic.sum->levels.size() > 2;
}

NormErrors norm_errors(const Node& node, const Norm& norm) {
  const double u = node.unit();
  const Real none = node.builder.constant(0);
  const LineStatistics line = statistics_of(node, norm);
  const MeanError means = mean_error(node, norm, line);
  const Vanished vanished = vanished_of(node, norm, line);
  const Bound of_mean = means.whole + both(vanished.of_mean);
  const Bound of_variance = variance_error(node, norm, line, means) + both(vanished.of_variance);
  const Real deviation = norm.epsilon_outside ? sqrt(line.variance) : sqrt(line.variance + norm.epsilon);
  const Real divisor = norm.epsilon_outside ? deviation + norm.epsilon : deviation;
  const Bound relative = formulas::error_of_inverse(of_variance, deviation, divisor);
  const Real scale = abs(norm.scale.value_or(node.builder.constant(1))), bias = abs(norm.bias.value_or(none));
  const Real sized = abs(line.d) / divisor * scale;
  Real fixed = u * (formulas::roundings_of_norm(norm.centred) * sized + bias + abs(norm.y)) +
               scale / divisor * shift_error(node, norm, line, means.is_pair);
  if (node.flushed() > 0)
    fixed = fixed + scale / divisor * vanished.of_y + vanished_behind(node, norm, abs(line.d) / divisor);
  else  // below the smallest normal a standardised number is rounded to a fixed place, before and after it is scaled
    fixed = fixed + (node.spacing() / 2) * (scale + 1.0);
  // However wrong its deviation, no element is more than √n deviations from the mean.
  const Real most = (2.2 * std::sqrt(line.count)) * scale + 2 * fixed;
  // An infinite line has results that are exact: 0 and NaN.
  const auto error = [&](Real of_inverse, Real of_sums) {
    return finite_or_zero(unless_large(of_inverse, of_sums + fixed, most));
  };
  const Real in_center = scale / divisor;
  const Real chance = sqrt(square(in_center * of_mean.probable) + square(sized * formulas::grown(relative.probable)));
  const Real sure = in_center * of_mean.certain + sized * formulas::grown(relative.certain);
  const Real certain = error(relative.certain, sure);
  const Bound of_y{min(error(relative.probable, chance), certain), certain};
  return {of_y, of_mean + both(2 * u * abs(line.mean)),
          (node.builder.constant(1) / divisor) *
              (relative + both(node.builder.constant(formulas::roundings_of_inverse() * u)))};
}

Norm line_norm(const Node& node, std::int64_t axis, double epsilon, bool has_scale, bool has_bias) {
  const ir::Shape shape = node.in[0].shape();
  Norm norm{.x = node.in[0], .epsilon = epsilon, .y = node.out[0]};
  for (std::size_t a = shape.axis(axis); a < shape.size(); ++a) norm.axes.push_back(static_cast<std::int64_t>(a));
  if (has_scale) norm.scale = node.in[1];
  if (has_bias) norm.bias = node.in.back();
  return norm;
}

Real through_norm(const Node& node, const Norm& norm, const Errors& errors) {
  double count = 1;
  for (const std::int64_t axis : norm.axes) count *= static_cast<double>(norm.x.shape()[norm.x.shape().axis(axis)]);
  const auto mean = [&](Real x) { return (1 / count) * sum(x, norm.axes); };
  const Real d = norm.centred ? norm.x - mean(norm.x) : norm.x;
  const Real inverse = node.builder.constant(1) / sqrt(mean(square(d)) + norm.epsilon);
  const Real unit = abs(d) * inverse;
  if (node.output > 0) {  // statistics, of which there is one a line
    if (!errors[0]) return node.builder.constant(0);
    if (node.output == 1) return mean(*errors[0]);
    const Real of_d = *errors[0] + mean(*errors[0]);
    return (0.5 * inverse) * square(inverse) * mean((2 * abs(d) + of_d) * of_d);
  }
  Real result = node.builder.constant(0);
  if (errors[0]) {
    const Real of_d = norm.centred ? *errors[0] + mean(*errors[0]) : *errors[0];
    const Real scale = abs(norm.scale.value_or(node.builder.constant(1)));
    result = scale * inverse * (of_d + unit * mean(unit * of_d));
  }
  std::size_t next = 1;
  if (norm.scale && errors[next++]) result = result + unit * *errors[next - 1];
  if (norm.bias && errors[next]) result = result + *errors[next];
  return result;
}

Bound grouped_norm_error(const Node& node, std::int64_t groups, double epsilon, std::optional<Real> scale,
                         std::optional<Real> bias) {
  const ir::Shape& shape = node.in[0].shape();
  const std::int64_t elements = shape.elements();
  const ir::Shape grouped{shape[0], groups, elements > 0 ? elements / (shape[0] * groups) : 0};
  const auto by_channel = [&](Real x) { return reshaped(filled(along(x, 1, shape), shape), grouped); };
  Norm norm{.x = reshaped(node.in[0], grouped), .axes = {2}, .epsilon = epsilon, .y = reshaped(node.y(), grouped)};
  if (scale) norm.scale = by_channel(*scale);
  if (bias) norm.bias = by_channel(*bias);
  const Bound error = norm_errors(node, norm).y;
  return {reshaped(error.probable, shape), reshaped(error.certain, shape)};
}

}  // namespace plumb::parity::bounds
