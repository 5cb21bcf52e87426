// Norms of lines, and what fft, rfft and irfft may be off by them (verdict.md V67).
#include "parity/bounds/transform_errors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>

#include "ir/ops/fft.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/rfft.hpp"

namespace plumb::parity::bounds {
namespace {

/// A transform along an axis: points of a line, scale of the results, and weights of bins.
struct Transform {
  std::int64_t points, axis;
  double scale;
  std::vector<double> weights = {};  ///< a bin of its result counts so often; empty: all once
};

template <class T>
Transform transform_of(const T& op, ir::Types in) {
  return {op.points(in), op.axis, op.scale(in)};
}

std::optional<Transform> find_transform(const core::Segment& segment) {
  const ir::Node& node = segment.graph.nodes().front();
  if (node.inputs.size() != 1) return std::nullopt;
  const ir::Op& op = node.op;
  const ir::Types in(&segment.graph.type(node.inputs.front()), 1);
  if (op.is<ir::ops::Fft>()) return transform_of(op.as<ir::ops::Fft>(), in);
  if (op.is<ir::ops::Irfft>()) return transform_of(op.as<ir::ops::Irfft>(), in);
  if (!op.is<ir::ops::Rfft>()) return std::nullopt;
  Transform half = transform_of(op.as<ir::ops::Rfft>(), in);
  half.weights = half_spectrum_weights(half.points);
  return half;
}

}  // namespace

bool is_finite(const std::complex<double>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

long double square_of(const std::complex<double>& z) {
  const long double re = z.real(), im = z.imag();
  return re * re + im * im;
}

TransformFactors transform_factors(std::int64_t length, double scale) {
  int exponent = 0;
  const double of_scale = std::frexp(scale, &exponent) == 0.5 ? 0 : 2;
  if (length <= 1) return {.norm = of_scale};
  std::int64_t rest = length;
  for (const std::int64_t prime : {2, 3, 5, 7})
    while (rest % prime == 0) rest /= prime;
  const double depth = std::log2(static_cast<double>(length));
  const double tiny = std::max(1.0, scale) * static_cast<double>(length);
  // Half a unit more: the few roundings of a short line do not average, where its energy is in few bins.
  return rest == 1 ? TransformFactors{1.5 * std::sqrt(depth) + 0.5 + of_scale, 5 * depth, 2 * tiny, 6 * tiny}
                   : TransformFactors{3 * std::sqrt(depth) + of_scale, 15 * depth, 8 * tiny, 24 * tiny};
}

std::vector<std::int64_t> real_bins(std::int64_t n) {
  if (n % 2 == 0) return {0, n / 2};
  return {0};
}

std::vector<double> half_spectrum_weights(std::int64_t n) {
  std::vector<double> weights(static_cast<std::size_t>(n / 2 + 1), 2.0);
  for (const std::int64_t bin : real_bins(n)) weights[static_cast<std::size_t>(bin)] = 1;
  return weights;
}

LineNorms norms_of(const ir::Tensor& x, const compare::Line& line, std::span<const double> weights) {
  const ir::Tensor wide = ir::convert(x, ir::DType::c128);
  const auto numbers = wide.as<std::complex<double>>();
  const auto length = static_cast<std::size_t>(line.length), inner = static_cast<std::size_t>(line.inner);
  const std::size_t count = length == 0 ? 0 : static_cast<std::size_t>(x.elements()) / length;
  LineNorms norms;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t first = n / inner * length * inner + n % inner;
    double one = 0;
    long double two = 0;  // squares
    bool finite = true;
    for (std::size_t i = 0; i < length; ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      if (weight == 0) continue;  // an ignored bin may be anything
      const std::complex<double> z = numbers[first + i * inner];
      finite &= is_finite(z);
      one += weight * std::abs(z);
      two += weight * square_of(z);
    }
    norms.one.push_back(one);
    norms.two.push_back(double(std::sqrt(two)));
    norms.is_finite.push_back(finite);
  }
  return norms;
}

bool is_transform(const core::Segment& segment) {
  return segment.graph.nodes().size() == 1 && find_transform(segment).has_value();
}

Deviations deviations_of_transform(const core::Segment& segment, const ir::Tensor& truth) {
  const Transform transform = find_transform(segment).value();
  const ir::TensorType& out = segment.graph.type(segment.outputs.front());
  Deviations found{compare::Line::along(out.shape, transform.axis, transform.axis),
                   ir::Tensor({ir::DType::f64, out.shape})};
  const std::vector<double>& weights = transform.weights;
  const double counted =
      weights.empty() ? static_cast<double>(found.line.length) : std::accumulate(weights.begin(), weights.end(), 0.0);
  const double share = transform_factors(transform.points, transform.scale).norm * ir::unit_roundoff(out.dtype) /
                       std::sqrt(counted * (ir::is_complex(out.dtype) ? 2 : 1));
  const LineNorms norms = norms_of(truth, found.line, weights);
  const auto length = static_cast<std::size_t>(found.line.length), inner = static_cast<std::size_t>(found.line.inner);
  const auto sigma = found.sigma.as<double>();
  for (std::size_t i = 0; i < sigma.size(); ++i) sigma[i] = share * norms.two[i / (length * inner) * inner + i % inner];
  return found;
}

}  // namespace plumb::parity::bounds
