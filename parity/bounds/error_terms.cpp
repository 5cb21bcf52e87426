#include "parity/bounds/error_terms.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/classify.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/where.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

/// `x` where it is a number, else `other`.
Real number_or(Real x, Real other) {
  const Real is_nan = x.builder->apply(ir::ops::Classify{ir::ops::FloatClass::is_nan}, {x});
  return x.builder->apply(ir::ops::Where{}, {is_nan, other, x});
}

/// Sizes, of which those that are not 0 count as `least` at least.
Real at_least(Real magnitude, double least) {
  if (least == 0) return magnitude;
  const Real none = magnitude.builder->constant(0);
  const Real is_zero = magnitude.builder->apply(ir::ops::Compare{ir::ops::Comparison::equal}, {magnitude, none});
  return magnitude.builder->apply(ir::ops::Where{},
                                  {is_zero, none, max(magnitude, magnitude.builder->constant(least))});
}

double square(double x) { return x * x; }

/// The error of sums, or products, of as many terms as updates hit a target.
Bound scattered_error(const Node& node, std::size_t updates, const ir::Op& adding) {
  const double u = node.unit();
  std::vector<Real> ones = node.in;
  for (std::size_t i = 0; i < ones.size(); ++i)
    if (ir::is_float(node.builder.type(ones[i]).dtype))
      ones[i] = filled(node.builder.constant(i == updates ? 1 : 0), ones[i].shape());
  const Real hits = node.builder.apply(adding, ones, node.output);
  if (node.op.error_class() == ir::ErrorClass::comp) return both(u * (hits * abs(node.y())));
  const Terms terms = product_terms(node, 1);
  const Real certain = u * (hits * terms.magnitude), stored = u * abs(node.y());
  const Real squares = hits * ((1.0 / 3) * square(node.y()) + (1.0 / 6) * terms.squares);
  return {min(node.lambda() * u * sqrt(squares) + stored, certain), certain};
}

}  // namespace

sums::Arithmetic sum_arithmetic(const Node& node, bool exact_products) {
  sums::Arithmetic arithmetic{.unit = node.accumulator(),
                              .subnormal = node.spacing(),
                              .exact_products = exact_products,
                              .cut = node.arithmetic.cut(),
                              .flushed = node.flushed()};
  if (!node.arithmetic.truncates) arithmetic.sum = node.arithmetic.sum;
  if (arithmetic.cut > 0) arithmetic.least_a = node.least(0), arithmetic.least_b = node.least(node.in.size() > 1);
  return arithmetic;
}

DotFactors dot_factors(const Node& node, std::int64_t count, bool exact_products) {
  const sums::Arithmetic arithmetic = sum_arithmetic(node, exact_products);
  const sums::Tree tree = arithmetic.tree(count);
  const double u = arithmetic.unit, lambda = node.lambda();
  const bool rounds = arithmetic.additions().products_round, is_cut = arithmetic.cut > 0;
  const auto terms = static_cast<double>(count);
  DotFactors factors{.random = lambda * u,
                     .certain = (terms + 1) * u,
                     .stored = 2 * node.unit(),
                     .of_square = tree.alpha(),
                     .of_spread = tree.beta(),
                     .of_terms = rounds || is_cut ? 1.0 : 0.0};
  if (arithmetic.is_compensated()) {  // the second numbers have errors of their own (verdict.md V25)
    factors.random *= lambda * u * std::sqrt(tree.sizes().depth);
    factors.of_terms /= square(lambda * u * std::sqrt(std::max(tree.sizes().depth, 1.0)));
    factors.certain = square(tree.sizes().depth * u) + (rounds ? u : 0);
    factors.stored += u;
  }
  // All errors of sums that are cut off have one sign: their sum is made of the squares by Cauchy and Schwarz.
  if (is_cut) {
    factors.random = std::max(arithmetic.cut * std::sqrt(terms), lambda) * u;
    factors.certain = std::max(arithmetic.cut, 2.0) * (terms + 1) * u;
  }
  return factors;
}

Bound dot(const Node& node, const Terms& terms) {
  if (terms.count == 0) return both(0 * abs(terms.sum));
  const DotFactors factors = dot_factors(node, terms.count, terms.exact);
  const Real of_sum = square(terms.sum), none = node.builder.constant(0);
  const Real spread = max(terms.squares - of_sum / static_cast<double>(terms.count), none);
  Real squares = factors.of_square * of_sum + factors.of_spread * spread;
  if (factors.of_terms > 0) squares = squares + factors.of_terms * terms.squares;
  const Real most = factors.certain * terms.magnitude;
  return Bound{min(factors.random * sqrt(squares), most), most} + both(factors.stored * abs(terms.sum));
}

Bound sum_error(const Node& node, Real x, std::vector<std::int64_t> axes) {
  std::int64_t count = 1, longest = axes.empty() ? 0 : axes.front();
  for (const std::int64_t axis : axes) {
    count *= x.shape()[x.shape().axis(axis)];
    if (x.shape()[x.shape().axis(axis)] > x.shape()[x.shape().axis(longest)]) longest = axis;
  }
  const Real total = sum(x, axes);
  if (count <= 1) return both(0 * total);
  std::vector<std::int64_t> others;
  for (const std::int64_t axis : axes)
    if (axis != longest) others.push_back(axis);
  const Real steps = sum(x, others);
  const Real partial =
      x.builder->apply(ir::ops::Cumulative{.function = ir::ops::CumulativeFunction::sum, .axis = longest}, {steps});
  const auto length = static_cast<double>(count) / static_cast<double>(steps.shape()[steps.shape().axis(longest)]);
  const Real term_squares = sum(square(x), axes);
  const Real squares = length * sum(square(partial), {longest}) + (length / 6) * term_squares;
  const Real random =
      (static_cast<double>(count) / 3) * square(total) + (static_cast<double>(count) / 6) * term_squares;
  const double u = node.unit();
  const Real certain = (static_cast<double>(count) * u) * sum(abs(x), axes);
  return {min(node.lambda() * u * sqrt(max(squares, random)), certain), certain};
}

Terms product_terms(const Node& node, std::int64_t count) { return product_terms(node, count, node.op, node.op); }

Terms product_terms(const Node& node, std::int64_t count, const ir::Op& with_magnitudes, const ir::Op& squared) {
  std::vector<Real> magnitudes, squares;
  for (std::size_t i = 0; i < node.in.size(); ++i) {
    const Real x = node.in[i];
    const bool real = ir::is_float(node.builder.type(x).dtype);
    magnitudes.push_back(real ? at_least(abs(x), node.least(i)) : x);
    squares.push_back(real ? square(magnitudes.back()) : x);
  }
  return {.count = count,
          .sum = node.y(),
          .magnitude = node.builder.apply(with_magnitudes, magnitudes, node.output),
          .squares = node.builder.apply(squared, squares, node.output),
          .exact = has_exact_products(node)};
}

Bound positive_sum_error(const Node& node, std::int64_t count) {
  const auto n = static_cast<double>(count);
  const double u = node.accumulator();
  return {node.builder.constant(u * std::min(n, node.lambda() * std::sqrt(n / 2))), node.builder.constant(u * n)};
}

bool has_exact_products(const Node& node) {
  const ir::DType dtype = node.in_types.at(0).dtype;
  return 2 * (core::float_format(dtype).fraction_bits + 1) <=
         core::float_format(core::compute_dtype(dtype)).fraction_bits + 1;
}

NormErrors norm_errors(const Node& node, const Norm& norm) {
  const double u = node.unit();
  const Real x = norm.x, none = node.builder.constant(0);
  double count = 1;
  for (const std::int64_t axis : norm.axes) count *= static_cast<double>(x.shape()[x.shape().axis(axis)]);
  const Real mean = norm.centred ? (1 / count) * sum(x, norm.axes) : none;
  const Real d = norm.centred ? x - mean : x;
  // The mean of one element is that element.
  const Bound of_mean =
      norm.centred && count > 1 ? (1 / count) * sum_error(node, x, norm.axes) + both(u * abs(mean)) : both(none);
  const Bound of_d = norm.centred ? of_mean + both(u * abs(d)) : both(none);
  const Real variance = (1 / count) * sum(square(d), norm.axes);
  const Bound of_variance =
      (1 / count) * sum_error(node, square(d), norm.axes) + both(3 * u * variance) + square(of_mean);
  const Real deviation = norm.epsilon_outside ? sqrt(variance) : sqrt(variance + norm.epsilon);
  const Real divisor = norm.epsilon_outside ? deviation + norm.epsilon : deviation;
  // The root of nearly nothing is off by the root of the error.
  const Bound of_root = min(0.5 * of_variance / deviation, sqrt(of_variance));
  const Bound relative = of_root / divisor + both(node.builder.constant(7 * u));
  const Real scale = abs(norm.scale.value_or(node.builder.constant(1))), bias = abs(norm.bias.value_or(none));
  const Bound of_y = scale / divisor * of_d + (abs(d) / divisor * scale) * relative + both(u * (bias + abs(norm.y)));
  // An infinite line has results that are exact: 0 and NaN.
  const auto known = [](Bound b) { return Bound{finite_or_zero(b.probable), finite_or_zero(b.certain)}; };
  return {known(of_y), of_mean, (node.builder.constant(1) / divisor) * relative};
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

Model scatter_model(const ir::Op& op, std::size_t updates, const ir::Op& adding) {
  Model model{.carried = moved};
  if (!is_modelled_by_class(op.error_class()))
    model.rounding = [=](const Node& node) { return scattered_error(node, updates, adding); };
  return model;
}

Real moved(const Node& node, const Errors& errors) {
  std::vector<Real> operands = node.in;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (ir::is_float(node.builder.type(operands[i]).dtype))
      operands[i] = errors[i] ? *errors[i] : filled(node.builder.constant(0), operands[i].shape());
  return abs(node.apply(operands));
}

Real through_products(const Node& node, const Errors& errors) {
  std::vector<Real> magnitudes, larger;
  for (std::size_t i = 0; i < node.in.size(); ++i) {
    magnitudes.push_back(ir::is_float(node.builder.type(node.in[i]).dtype) ? abs(node.in[i]) : node.in[i]);
    larger.push_back(errors[i] ? magnitudes.back() + *errors[i] : magnitudes.back());
  }
  return node.apply(larger) - node.apply(magnitudes);
}

Real by_difference(const Node& node, const Errors& errors) {
  Real total = node.builder.constant(0);
  for (std::size_t i = 0; i < node.in.size(); ++i) {
    if (!errors[i]) continue;
    std::vector<Real> above = node.in, below = node.in;
    above[i] = node.in[i] + *errors[i];
    below[i] = node.in[i] - *errors[i];
    const Real up = abs(node.apply(above) - node.y()), down = abs(node.apply(below) - node.y());
    total = total + max(number_or(up, down), number_or(down, up));
  }
  return total;
}

}  // namespace plumb::parity::bounds
