// Radices 2 to 8 of Stockham's transform, on neighbours together.
#include "ref_cpu/transforms/mixed_radix.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ir/kernels/fourier.hpp"

namespace plumb::ref_cpu::transforms {
namespace {

/// A register of numbers, with which neighbours are computed together: each as if it were alone, so that results do not
/// depend on how many there are.
#ifdef __AVX__
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif
template <class T>
struct Wide {
  typedef T Lanes __attribute__((vector_size(register_bytes)));
  static constexpr std::int64_t count = register_bytes / sizeof(T);
};

/// Complex numbers: V is T or lanes of it.
template <class T, class V>
struct Number {
  V re, im;
  friend Number operator+(Number a, Number b) { return {a.re + b.re, a.im + b.im}; }
  friend Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
  friend Number operator*(Number a, Number b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Number operator*(T a, Number b) { return {a * b.re, a * b.im}; }
};

/// -i z.
template <class T, class V>
Number<T, V> turned(Number<T, V> z) {
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
template <int r, class T, class V>
void butterfly(std::array<Number<T, V>, r>& z) {
  constexpr int half = (r - 1) / 2;
  std::array<Number<T, V>, half + 1> sum, difference;
  Number<T, V> total = z[0];
#pragma GCC unroll 8
  for (int j = 1; j <= half; ++j) {
    sum[j] = z[j] + z[r - j];
    difference[j] = turned(z[j] - z[r - j]);
    total = total + sum[j];
  }
  std::array<Number<T, V>, r> y;
  y[0] = total;
#pragma GCC unroll 8
  for (int k = 1; k <= half; ++k) {
    const auto cosine = [&](int j) { return static_cast<T>(Angles<r>::cosine[std::min(j * k % r, r - j * k % r)]); };
    const auto sine = [&](int j) {
      const int at = j * k % r;
      return static_cast<T>(at > half ? -Angles<r>::sine[r - at] : Angles<r>::sine[at]);
    };
    Number<T, V> even = z[0] + cosine(1) * sum[1], odd = sine(1) * difference[1];
#pragma GCC unroll 8
    for (int j = 2; j <= half; ++j) {
      even = even + cosine(j) * sum[j];
      odd = odd + sine(j) * difference[j];
    }
    y[k] = even + odd;
    y[r - k] = even - odd;
  }
  z = y;
}

template <class N>
void four(N& a, N& b, N& c, N& d) {
  const N p = a + c, q = a - c, s = b + d, t = turned(b - d);
  a = p + s;
  b = q + t;
  c = p - s;
  d = q - t;
}

template <int r, class T, class V>
void transform_few(std::array<Number<T, V>, r>& z) {
  if constexpr (r == 2) {
    z = {z[0] + z[1], z[0] - z[1]};
  } else if constexpr (r == 4) {
    four(z[0], z[1], z[2], z[3]);
  } else if constexpr (r == 8) {
    using N = Number<T, V>;
    four(z[0], z[2], z[4], z[6]);
    four(z[1], z[3], z[5], z[7]);
    constexpr T h = static_cast<T>(0.70710678118654752440);
    const N a = z[1], b = h * N{z[3].re + z[3].im, z[3].im - z[3].re}, c = turned(z[5]);
    const N d = h * N{z[7].im - z[7].re, -z[7].im - z[7].re};
    z = {z[0] + a, z[2] + b, z[4] + c, z[6] + d, z[0] - a, z[2] - b, z[4] - c, z[6] - d};
  } else {
    butterfly<r>(z);
  }
}

template <class V, class T>
V loaded(const T* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}

/// A butterfly and its twiddles: numbers j are at x[apart j], results k go to put(k, number). V is T, or lanes of
/// neighbouring butterflies.
template <int r, class V, class T, class Twiddle, class Put>
void one(const T* x_re, const T* x_im, std::int64_t apart, const Twiddle& twiddle, const Put& put) {
  std::array<Number<T, V>, r> z;
#pragma GCC unroll 8
  for (int j = 0; j < r; ++j) z[j] = {loaded<V>(x_re + apart * j), loaded<V>(x_im + apart * j)};
  transform_few<r>(z);
  put(0, z[0]);
#pragma GCC unroll 8
  for (int k = 1; k < r; ++k) put(k, z[k] * twiddle(k));
}

/// The first pass: neighbouring butterflies have twiddles of their own, and their results are r apart.
template <int r, class T>
void first_pass(Parts<const T> x, Parts<T> y, std::int64_t rest, const T* w_re, const T* w_im) {
  const auto some = [&]<class V>(V, std::int64_t p) {
    one<r, V>(
        x.re + p, x.im + p, rest,
        [&](int k) {
          const std::int64_t at = (k - 1) * rest + p;
          return Number<T, V>{loaded<V>(w_re + at), loaded<V>(w_im + at)};
        },
        [&](int k, const Number<T, V>& z) {
          if constexpr (std::is_same_v<V, T>) {
            y.re[r * p + k] = z.re;
            y.im[r * p + k] = z.im;
          } else {
            for (std::int64_t i = 0; i < Wide<T>::count; ++i) {
              y.re[r * (p + i) + k] = z.re[i];
              y.im[r * (p + i) + k] = z.im[i];
            }
          }
        });
  };
  std::int64_t p = 0;
  for (; p + Wide<T>::count <= rest; p += Wide<T>::count) some(typename Wide<T>::Lanes{}, p);
  for (; p < rest; ++p) some(T{}, p);
}

/// A later pass: of y the elements q + stride (r p + k) from those q + stride (p + rest j) of x.
template <int r, class T>
void later_pass(Parts<const T> x, Parts<T> y, std::int64_t rest, std::int64_t stride, const T* w_re, const T* w_im) {
  for (std::int64_t p = 0; p < rest; ++p) {
    std::array<Number<T, T>, r> w{};
    for (int k = 1; k < r; ++k) w[k] = {w_re[(k - 1) * rest + p], w_im[(k - 1) * rest + p]};
    const auto some = [&]<class V>(V, std::int64_t q) {
      const std::int64_t from = q + stride * p, to = q + stride * r * p;
      one<r, V>(
          x.re + from, x.im + from, stride * rest,
          [&](int k) {
            return Number<T, V>{V{} + w[k].re, V{} + w[k].im};
          },
          [&](int k, const Number<T, V>& z) {
            std::memcpy(y.re + to + stride * k, &z.re, sizeof(V));
            std::memcpy(y.im + to + stride * k, &z.im, sizeof(V));
          });
    };
    std::int64_t q = 0;
    for (; q + Wide<T>::count <= stride; q += Wide<T>::count) some(typename Wide<T>::Lanes{}, q);
    for (; q < stride; ++q) some(T{}, q);
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
        made.re.push_back(static_cast<T>(w.real()));
        made.im.push_back(static_cast<T>(w.imag()));
      }
    passes_.push_back(std::move(made));
    left /= radix;
    stride *= radix;
  }
}

template <class T>
Parts<T> MixedRadix<T>::run(Parts<T> x, Parts<T> other) const {
  for (const Pass& step : passes_) {
    const auto with = [&]<int r>(std::integral_constant<int, r>) {
      if (step.stride == 1)
        first_pass<r, T>({x.re, x.im}, other, step.rest, step.re.data(), step.im.data());
      else
        later_pass<r, T>({x.re, x.im}, other, step.rest, step.stride, step.re.data(), step.im.data());
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
