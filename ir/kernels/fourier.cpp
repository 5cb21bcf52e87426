// Roots of unity and the tables of Bluestein's algorithm, in long double.
#include "ir/kernels/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ir/error.hpp"

namespace plumb::ir::kernels {
namespace {

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

double fourier_scale(FourierNorm norm, bool inverse, std::int64_t n) {
  const auto points = static_cast<double>(n);
  if (norm == FourierNorm::ortho) return static_cast<double>(1 / std::sqrt(static_cast<long double>(points)));
  return (norm == FourierNorm::backward) == inverse ? 1 / points : 1;
}

double fourier_flops(std::int64_t n) {
  const auto points = static_cast<double>(n);
  return 5 * points * std::log2(points);
}

LongComplex root_of_unity(std::int64_t k, std::int64_t n) {
  k %= n;
  if (k < 0) k += n;
  // 8k/n is octant + rest/n, and the angle within an octant is measured from the axis that is nearer.
  const std::int64_t octant = 8 * k / n, rest = 8 * k % n;
  const bool is_odd = octant % 2 == 1;
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(is_odd ? n - rest : rest) /
                            static_cast<long double>(n);
  long double near = std::cos(angle), far = std::sin(angle);
  if (is_odd && rest == 0) near = far = std::numbers::sqrt2_v<long double> / 2;
  switch (octant) {  // e^(-i a): right, then down
    case 0:
      return {near, -far};
    case 1:
      return {far, -near};
    case 2:
      return {-far, -near};
    case 3:
      return {-near, -far};
    case 4:
      return {-near, far};
    case 5:
      return {-far, near};
    case 6:
      return {far, near};
    default:
      return {near, far};
  }
}

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  if (n > 1) primes.push_back(n);
  return primes;
}

bool is_smooth(std::int64_t n, std::int64_t largest) {
  for (std::int64_t p = 2; p <= largest; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

LongTransform::LongTransform(std::int64_t n) {
  std::int64_t length = n, stride = 1;
  for (const std::int64_t radix : prime_factors(n)) {
    Step made{.length = length, .stride = stride, .radix = radix, .roots = {}};
    for (std::int64_t k = 0; k < length; ++k) made.roots.push_back(root_of_unity(k, length));
    steps_.push_back(std::move(made));
    length /= radix;
    stride *= radix;
  }
}

void LongTransform::run(const Step& step, std::vector<LongComplex>& x, std::vector<LongComplex>& y) {
  const std::int64_t rest = step.length / step.radix, stride = step.stride, radix = step.radix;
  for (std::int64_t p = 0; p < rest; ++p)
    for (std::int64_t k = 0; k < radix; ++k)
      for (std::int64_t q = 0; q < stride; ++q) {
        LongComplex sum = 0;
        for (std::int64_t j = 0; j < radix; ++j)
          sum += x[place(q + stride * (p + rest * j))] * step.roots[place(j * k % radix * rest)];
        y[place(q + stride * (radix * p + k))] = sum * step.roots[place(p * k)];
      }
  x.swap(y);
}

std::vector<LongComplex> LongTransform::operator()(std::vector<LongComplex> x) const {
  std::vector<LongComplex> y(x.size());
  for (const Step& step : steps_) run(step, x, y);
  return x;
}

std::vector<LongComplex> fourier_transform(std::vector<LongComplex> x) {
  const LongTransform transform(std::ssize(x));
  return transform(std::move(x));
}

Chirp bluestein(std::int64_t n, std::int64_t m) {
  require(m >= 2 * n - 1, "a chirp of ", n, " points needs ", 2 * n - 1, ", got ", m);
  Chirp made;
  std::vector<LongComplex> wrapped(place(m));
  std::int64_t square = 0;  // j^2 modulo 2n
  for (std::int64_t j = 0; j < n; ++j) {
    const LongComplex w = root_of_unity(square, 2 * n);
    made.chirp.push_back(w);
    wrapped[place(j)] = wrapped[place((m - j) % m)] = std::conj(w) / static_cast<long double>(m);
    square = (square + 2 * j + 1) % (2 * n);
  }
  made.spectrum = fourier_transform(std::move(wrapped));
  return made;
}

std::int64_t smooth_length(std::int64_t least) {
  while (!is_smooth(least, 5)) ++least;
  return least;
}

}  // namespace plumb::ir::kernels
