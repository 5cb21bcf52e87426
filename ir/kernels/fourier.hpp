// Parts of Fourier transforms that executors share: roots of unity, scales and, on the host, tables of Bluestein's.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plumb::ir::kernels {

/// Which direction carries the scale, as NumPy names it (ops.md 10).
enum class FourierNorm { backward, ortho, forward };

constexpr auto enum_names(FourierNorm) { return std::array<std::string_view, 3>{"backward", "ortho", "forward"}; }

/// The factor of a transform's sums over n points: 1, 1/n or 1/√n.
double fourier_scale(FourierNorm norm, bool inverse, std::int64_t n);

/// The nominal cost of a complex transform of n points, whatever the algorithm: 5n log2 n operations.
double fourier_flops(std::int64_t n);

using LongComplex = std::complex<long double>;

/// e^(-2 pi i k / n). The angle is reduced in integers, so that each part is right but for the last bit or two of a
/// long double; multiples of 1/8 have parts that are exact or equal.
LongComplex root_of_unity(std::int64_t k, std::int64_t n);

/// Whether no prime factor of n is above `largest`.
bool is_smooth(std::int64_t n, std::int64_t largest);

/// The prime factors of n, ascending.
std::vector<std::int64_t> prime_factors(std::int64_t n);

/// y[k] = sum over j of x[j] e^(-2 pi i j k / n), for tables and for the truth of f64 lines: in n times the sum of n's
/// prime factors operations.
class LongTransform {
 public:
  explicit LongTransform(std::int64_t n);

  std::vector<LongComplex> operator()(std::vector<LongComplex> x) const;

 private:
  /// Lines of `length` elements, `stride` apart, become `radix` as many of the rest.
  struct Step {
    std::int64_t length, stride, radix;
    std::vector<LongComplex> roots;
  };
  static void run(const Step& step, std::vector<LongComplex>& x, std::vector<LongComplex>& y);

  std::vector<Step> steps_;
};

/// The transform of one line by LongTransform.
std::vector<LongComplex> fourier_transform(std::vector<LongComplex> x);

/// Bluestein's algorithm makes a transform of n points from two of m >= 2n - 1: with w[j] = e^(-pi i j^2 / n),
///   y[k] = w[k] sum over j of (x[j] w[j]) conj(w[k - j]),
/// a cyclic convolution of m points. `spectrum` multiplies the transform of the padded x w: it is that of conj(w),
/// over m, so that an inverse transform without a scale ends it.
struct Chirp {
  std::vector<LongComplex> chirp;     ///< w[0] to w[n - 1]
  std::vector<LongComplex> spectrum;  ///< m of them
};

/// The chirp of n points for transforms of m of them, of which j^2 is taken modulo 2n in integers.
Chirp bluestein(std::int64_t n, std::int64_t m);

/// The least m >= `least` of primes 2, 3 and 5.
std::int64_t smooth_length(std::int64_t least);

}  // namespace plumb::ir::kernels
