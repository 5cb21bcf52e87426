// Radices 2 to 8 of Stockham's transform, whose inner loops are the compiler's to make vector code of.
#include "ref_cpu/transforms/mixed_radix.hpp"

#include <array>
#include <utility>

#include "ir/kernels/fourier.hpp"

namespace plumb::ref_cpu::transforms {
namespace {

template <class T>
struct Number {
  T re, im;
  friend Number operator+(Number a, Number b) { return {a.re + b.re, a.im + b.im}; }
  friend Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
  friend Number operator*(Number a, Number b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

/// -i z.
template <class T>
Number<T> turned(Number<T> z) {
  return {z.im, -z.re};
}

/// Cosines and sines of 2 pi k / r for k = 1 to (r - 1) / 2, to more digits than a double has.
template <int r>
struct Angles;
template <>
struct Angles<3> {
  static constexpr double cosine[] = {1, -0.5}, sine[] = {0, 0.86602540378443864676};
};
template <>
struct Angles<5> {
  static constexpr double cosine[] = {1, 0.30901699437494742410, -0.80901699437494742410};
  static constexpr double sine[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Angles<7> {
  static constexpr double cosine[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr double sine[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

/// The transform of r numbers in place, r being odd: what lies on both sides of the middle has equal cosines and
/// opposite sines.
template <int r, class T>
void butterfly(std::array<Number<T>, r>& z) {
  constexpr int half = (r - 1) / 2;
  std::array<Number<T>, half + 1> sum, difference;
  Number<T> total = z[0];
  for (int j = 1; j <= half; ++j) {
    sum[j] = z[j] + z[r - j], difference[j] = turned(z[j] - z[r - j]);
    total = total + sum[j];
  }
  std::array<Number<T>, r> y;
  y[0] = total;
  for (int k = 1; k <= half; ++k) {
    Number<T> even = z[0], odd{0, 0};
    for (int j = 1; j <= half; ++j) {
      const int at = j * k % r, near = at > half ? r - at : at;
      const T c = static_cast<T>(Angles<r>::cosine[near]);
      const T s = static_cast<T>(at > half ? -Angles<r>::sine[near] : Angles<r>::sine[near]);
      even.re += c * sum[j].re, even.im += c * sum[j].im;
      odd.re += s * difference[j].re, odd.im += s * difference[j].im;
    }
    y[k] = even + odd, y[r - k] = even - odd;
  }
  z = y;
}

template <class T>
void four(Number<T>& a, Number<T>& b, Number<T>& c, Number<T>& d) {
  const Number<T> p = a + c, q = a - c, s = b + d, t = turned(b - d);
  a = p + s, b = q + t, c = p - s, d = q - t;
}

template <int r, class T>
void transform_few(std::array<Number<T>, r>& z) {
  if constexpr (r == 2) {
    z = {z[0] + z[1], z[0] - z[1]};
  } else if constexpr (r == 4) {
    four(z[0], z[1], z[2], z[3]);
  } else if constexpr (r == 8) {
    four(z[0], z[2], z[4], z[6]), four(z[1], z[3], z[5], z[7]);
    constexpr T h = static_cast<T>(0.70710678118654752440);
    const Number<T> b{h * (z[3].re + z[3].im), h * (z[3].im - z[3].re)}, c = turned(z[5]);
    const Number<T> d{h * (z[7].im - z[7].re), -h * (z[7].im + z[7].re)}, a = z[1];
    z = {z[0] + a, z[2] + b, z[4] + c, z[6] + d, z[0] - a, z[2] - b, z[4] - c, z[6] - d};
  } else {
    butterfly<r>(z);
  }
}

/// One pass: of y the elements q + stride (r p + k) from those q + stride (p + rest j) of x.
template <int r, class T>
void one(const T* x_re, const T* x_im, T* __restrict y_re, T* __restrict y_im, std::int64_t from, std::int64_t to,
         std::int64_t step, std::int64_t stride, const std::array<Number<T>, r>& w) {
  std::array<Number<T>, r> z;
  for (int j = 0; j < r; ++j) z[j] = {x_re[from + step * j], x_im[from + step * j]};
  transform_few<r>(z);
  y_re[to] = z[0].re, y_im[to] = z[0].im;
  for (int k = 1; k < r; ++k) {
    const Number<T> v = z[k] * w[k];
    y_re[to + stride * k] = v.re, y_im[to + stride * k] = v.im;
  }
}

template <int r, class T>
void pass(Parts<const T> x, Parts<T> y, std::int64_t rest, std::int64_t stride, const T* w_re, const T* w_im) {
  if (stride == 1) {
    for (std::int64_t p = 0; p < rest; ++p) {
      std::array<Number<T>, r> w{};
      for (int k = 1; k < r; ++k) w[k] = {w_re[(k - 1) * rest + p], w_im[(k - 1) * rest + p]};
      one<r>(x.re, x.im, y.re, y.im, p, r * p, rest, std::int64_t{1}, w);
    }
    return;
  }
  for (std::int64_t p = 0; p < rest; ++p) {
    std::array<Number<T>, r> w{};
    for (int k = 1; k < r; ++k) w[k] = {w_re[(k - 1) * rest + p], w_im[(k - 1) * rest + p]};
    for (std::int64_t q = 0; q < stride; ++q)
      one<r>(x.re, x.im, y.re, y.im, q + stride * p, q + stride * r * p, stride * rest, stride, w);
  }
}

/// Factors of a length of which no prime is above 7. Odd ones come first: what cancels by symmetry, as imaginary parts
/// in the middle of the spectrum of a real line, then does so without an error in the last pass.
std::vector<std::int64_t> radices(std::int64_t length) {
  std::vector<std::int64_t> found;
  for (const std::int64_t r : {7, 5, 3})
    for (; length % r == 0; length /= r) found.push_back(r);
  int twos = 0;
  for (; length % 2 == 0; length /= 2) ++twos;
  for (; twos >= 5 || twos == 3; twos -= 3) found.push_back(8);
  for (; twos >= 2; twos -= 2) found.push_back(4);
  if (twos == 1) found.push_back(2);
  return found;
}

}  // namespace

template <class T>
MixedRadix<T>::MixedRadix(std::int64_t length) : length_(length) {
  std::int64_t left = length, stride = 1;
  for (const std::int64_t radix : radices(length)) {
    Pass made{.radix = radix, .rest = left / radix, .stride = stride, .re = {}, .im = {}};
    for (std::int64_t k = 1; k < radix; ++k)
      for (std::int64_t p = 0; p < made.rest; ++p) {
        const ir::kernels::LongComplex w = ir::kernels::root_of_unity(p * k, left);
        made.re.push_back(static_cast<T>(w.real())), made.im.push_back(static_cast<T>(w.imag()));
      }
    passes_.push_back(std::move(made));
    left /= radix, stride *= radix;
  }
}

template <class T>
Parts<T> MixedRadix<T>::run(Parts<T> x, Parts<T> other) const {
  for (const Pass& step : passes_) {
    const auto with = [&]<int r>(std::integral_constant<int, r>) {
      pass<r, T>({x.re, x.im}, other, step.rest, step.stride, step.re.data(), step.im.data());
    };
    switch (step.radix) {
      case 2:
        with(std::integral_constant<int, 2>{});
        break;
      case 3:
        with(std::integral_constant<int, 3>{});
        break;
      case 4:
        with(std::integral_constant<int, 4>{});
        break;
      case 5:
        with(std::integral_constant<int, 5>{});
        break;
      case 7:
        with(std::integral_constant<int, 7>{});
        break;
      default:
        with(std::integral_constant<int, 8>{});
    }
    std::swap(x, other);
  }
  return x;
}

template class MixedRadix<float>;
template class MixedRadix<double>;

}  // namespace plumb::ref_cpu::transforms
