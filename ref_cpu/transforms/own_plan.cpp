// Plans of our own, for builds without FFTW, and held to FFTW's results in builds with it.
#include <algorithm>
#include <utility>

#include "ir/kernels/fourier.hpp"
#include "ref_cpu/kernels/unfused.hpp"
#include "ref_cpu/transforms/mixed_radix.hpp"
#include "ref_cpu/transforms/plan.hpp"

namespace plumb::ref_cpu::transforms {
namespace {

using ir::kernels::LongComplex;

/// Numbers of a table, rounded, real and imaginary parts apart.
template <class T>
struct Table {
  std::vector<T> re, im;

  void add(const LongComplex& z) {
    re.push_back(static_cast<T>(z.real()));
    im.push_back(static_cast<T>(z.imag()));
  }
};

/// A complex transform of any length: by a mixed radix, or by Bluestein's algorithm where a prime factor is above 7.
template <class T>
class AnyLength {
 public:
  explicit AnyLength(std::int64_t length)
      : length_(length),
        is_direct_(ir::kernels::is_smooth(length, 7)),
        passes_(is_direct_ ? length : ir::kernels::smooth_length(2 * length - 1)) {
    if (is_direct_) return;
    const auto table = ir::kernels::bluestein(length, passes_.length());
    for (const LongComplex& z : table.chirp) chirp_.add(z);
    for (const LongComplex& z : table.spectrum) spectrum_.add(z);
  }

  /// How long the parts have to be that it works in.
  std::int64_t room() const { return passes_.length(); }

  /// Transforms the first elements of x by way of `other`, and says in which of them the result is.
  Parts<T> run(Parts<T> x, Parts<T> other) const {
    if (is_direct_) return passes_.run(x, other);
    const T re = std::exchange(x.re[0], T{0}), im = std::exchange(x.im[0], T{0});  // which every result has as it is
    times(x, chirp_, length_);
    std::fill(x.re + length_, x.re + room(), T{0});
    std::fill(x.im + length_, x.im + room(), T{0});
    const Parts<T> spectrum = passes_.run(x, other);
    if (spectrum.re != x.re) std::swap(x, other);
    times(x, spectrum_, room());
    // An inverse transform is one whose real and imaginary parts change places before and behind.
    const Parts<T> y = passes_.run({x.im, x.re}, {other.im, other.re});
    const Parts<T> result{y.im, y.re};
    times(result, chirp_, length_);
    for (std::int64_t k = 0; k < length_; ++k) {
      result.re[k] += re;
      result.im[k] += im;
    }
    return result;
  }

 private:
  static void times(Parts<T> x, const Table<T>& by, std::int64_t count) {
    const T *const re = by.re.data(), *const im = by.im.data();
    for (std::int64_t i = 0; i < count; ++i) {
      const T a = x.re[i], b = x.im[i];
      x.re[i] = a * re[i] - b * im[i];
      x.im[i] = a * im[i] + b * re[i];
    }
  }

  std::int64_t length_;
  bool is_direct_;
  MixedRadix<T> passes_;
  Table<T> chirp_, spectrum_;
};

/// Reals of even length are a complex line of half as many points, whose transform is taken apart by the symmetry that
/// the even ones and the odd ones have by themselves. Of odd length they are complex numbers without imaginary parts.
template <class T>
class OwnPlan final : public Plan<T> {
 public:
  OwnPlan(Kind kind, std::int64_t length)
      : kind_(kind),
        length_(length),
        is_packed_((kind == Kind::real_forward || kind == Kind::real_inverse) && length % 2 == 0),
        points_(is_packed_ ? length / 2 : length),
        transform_(points_) {
    for (std::int64_t k = 0; is_packed_ && k <= points_; ++k) roots_.add(ir::kernels::root_of_unity(k, length));
  }

  std::int64_t scratch() const override { return 4 * transform_.room(); }

  void run(T* in, T* out, T* scratch) const override {
    const std::int64_t room = transform_.room();
    const Parts<T> x{scratch, scratch + room}, other{scratch + 2 * room, scratch + 3 * room};
    // Inverse transforms have the parts in each other's place.
    const Parts<T> turned{x.im, x.re};
    switch (kind_) {
      case Kind::forward:
        return read(in, x), write(transform_.run(x, other), out);
      case Kind::inverse:
        return read(in, turned), write(back(transform_.run(x, other)), out);
      case Kind::real_forward:
        if (is_packed_) return read(in, x), split(transform_.run(x, other), out);
        std::copy_n(in, length_, x.re);
        std::fill_n(x.im, length_, T{0});
        write_first(transform_.run(x, other), length_ / 2 + 1, out);
        out[1] = 0;
        return;
      case Kind::real_inverse:
        if (is_packed_) return join(in, turned), write(back(transform_.run(x, other)), out);
        for (std::int64_t k = 0; k <= length_ / 2; ++k) {
          turned.re[k] = in[2 * k];
          turned.im[k] = in[2 * k + 1];
          if (k > 0) {
            turned.re[length_ - k] = in[2 * k];
            turned.im[length_ - k] = -in[2 * k + 1];
          }
        }
        std::copy_n(back(transform_.run(x, other)).re, length_, out);
    }
  }

 private:
  static Parts<T> back(Parts<T> y) { return {y.im, y.re}; }

  void read(const T* in, Parts<T> x) const {
    for (std::int64_t i = 0; i < points_; ++i) {
      x.re[i] = in[2 * i];
      x.im[i] = in[2 * i + 1];
    }
  }
  static void write_first(Parts<T> y, std::int64_t count, T* out) {
    for (std::int64_t i = 0; i < count; ++i) out[2 * i] = y.re[i], out[2 * i + 1] = y.im[i];
  }
  void write(Parts<T> y, T* out) const { write_first(y, points_, out); }

  /// With z the transform of x[2j] + i x[2j + 1]: half of z[k] + conj z[h - k] is that of the even ones, and half of
  /// -i (z[k] - conj z[h - k]) that of the odd ones, which come a sample later.
  void split(Parts<T> z, T* out) const {
    const std::int64_t h = points_;
    out[0] = z.re[0] + z.im[0], out[1] = 0, out[2 * h] = z.re[0] - z.im[0], out[2 * h + 1] = 0;
    for (std::int64_t k = 1; k < h; ++k) {
      const T a = z.re[k] + z.re[h - k], b = z.im[k] - z.im[h - k];
      const T c = z.im[k] + z.im[h - k], d = z.re[h - k] - z.re[k];
      const T re = roots_.re[static_cast<std::size_t>(k)], im = roots_.im[static_cast<std::size_t>(k)];
      const T odd_re = kernels::unfused_product(c, re) - kernels::unfused_product(d, im);
      const T odd_im = kernels::unfused_product(c, im) + kernels::unfused_product(d, re);
      out[2 * k] = (a + odd_re) / 2, out[2 * k + 1] = (b + odd_im) / 2;
    }
  }

  /// The inverse of split(), times 2.
  void join(const T* in, Parts<T> z) const {
    const std::int64_t h = points_;
    for (std::int64_t k = 0; k < h; ++k) {
      const T *const x = in + 2 * k, *const mirrored = in + 2 * (h - k);
      const T a = x[0] + mirrored[0], b = x[1] - mirrored[1], c = x[0] - mirrored[0], d = x[1] + mirrored[1];
      const T re = roots_.re[static_cast<std::size_t>(k)], im = -roots_.im[static_cast<std::size_t>(k)];
      const T odd_re = kernels::unfused_product(c, re) - kernels::unfused_product(d, im);
      const T odd_im = kernels::unfused_product(c, im) + kernels::unfused_product(d, re);
      z.re[k] = a - odd_im;
      z.im[k] = b + odd_re;
    }
  }

  const Kind kind_;
  const std::int64_t length_;
  const bool is_packed_;
  const std::int64_t points_;
  const AnyLength<T> transform_;
  Table<T> roots_;
};

}  // namespace

template <class T>
std::unique_ptr<const Plan<T>> own_plan(Kind kind, std::int64_t length) {
  return std::make_unique<OwnPlan<T>>(kind, length);
}

template std::unique_ptr<const Plan<float>> own_plan(Kind, std::int64_t);
template std::unique_ptr<const Plan<double>> own_plan(Kind, std::int64_t);

}  // namespace plumb::ref_cpu::transforms
