// The truth of f64 transforms, line by line in long double.
#include "parity/settle/certify/long_transform.hpp"

#include <cmath>
#include <numeric>

#include "ir/kernels/fourier.hpp"

namespace plumb::parity::settle::certify {
namespace {

using ir::kernels::LongComplex;

constexpr double most_operations = 1 << 24;

/// The scale, which is a power of the length and came rounded.
long double scale_of(const TransformLines& how) {
  const auto n = static_cast<long double>(how.length);
  if (how.scale == 1) return 1;
  return how.scale == static_cast<double>(1 / n) ? 1 / n : 1 / std::sqrt(n);
}

/// All n points that a line stands for: of a half spectrum the other half mirrors it.
std::vector<LongComplex> points_of(const std::vector<std::complex<double>>& line, const TransformLines& how) {
  std::vector<LongComplex> points(line.begin(), line.end());
  for (std::int64_t k = std::ssize(points); k < how.length; ++k)
    points.push_back(std::conj(points[static_cast<std::size_t>(how.length - k)]));
  return points;
}

std::vector<LongComplex> transformed(const ir::kernels::LongTransform& transform, std::vector<LongComplex> points,
                                     const TransformLines& how) {
  const bool is_forward = how.kind == TransformKind::forward;
  if (!is_forward)
    for (LongComplex& z : points) z = std::conj(z);
  points = transform(std::move(points));
  const long double scale = scale_of(how);
  for (LongComplex& z : points) z = (is_forward ? z : std::conj(z)) * scale;
  for (const std::int64_t i : how.real_at) points[static_cast<std::size_t>(i)].imag(0);
  return points;
}

}  // namespace

std::optional<ir::Tensor> transformed_in_long_double(const ir::Tensor& x, const ir::Tensor& like,
                                                     const TransformLines& how) {
  const auto length_x = static_cast<std::size_t>(how.of_x.length), length_y = static_cast<std::size_t>(how.of_y.length);
  const auto inner = static_cast<std::size_t>(how.of_x.inner);
  const auto factors = ir::kernels::prime_factors(how.length);
  const auto each = static_cast<double>(how.length) *
                    static_cast<double>(std::accumulate(factors.begin(), factors.end(), std::int64_t{0}));
  const std::size_t lines = static_cast<std::size_t>(x.elements()) / length_x;
  if (each * static_cast<double>(lines) > most_operations) return std::nullopt;
  const ir::kernels::LongTransform transform(how.length);
  const ir::Tensor wide = ir::convert(x, ir::DType::c128);
  ir::Tensor made = like;
  for (std::size_t n = 0; n < lines; ++n) {
    std::vector<std::complex<double>> line(length_x);
    bool is_finite = true;
    for (std::size_t i = 0; i < length_x; ++i) {
      line[i] = wide.as<std::complex<double>>()[(n / inner * length_x + i) * inner + n % inner];
      is_finite &= std::isfinite(line[i].real()) && std::isfinite(line[i].imag());
    }
    if (!is_finite) continue;
    const auto y = transformed(transform, points_of(line, how), how);
    for (std::size_t k = 0; k < length_y; ++k) {
      const std::size_t at = (n / inner * length_y + k) * inner + n % inner;
      if (how.kind == TransformKind::real_inverse)
        made.as<double>()[at] = static_cast<double>(y[k].real());
      else
        made.as<std::complex<double>>()[at] = {static_cast<double>(y[k].real()), static_cast<double>(y[k].imag())};
    }
  }
  return made;
}

}  // namespace plumb::parity::settle::certify
