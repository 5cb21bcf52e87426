#pragma once

#include <algorithm>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/affine.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {

/// The moments that standardise a line: ((x - mean) - rest)·inv_std. The mean of a line far
/// from 0 has more bits than C: `rest` is what its rounding lost.
template <class C>
struct Moments {
  C mean, rest, inv_std;
};

/// The mean of a line and inverse(variance), by two passes of which the
/// second also corrects the first (Chan, Golub and LeVeque, "Algorithms for
/// computing the sample variance", 1983).
template <class C, class Inverse>
Moments<C> moments_by(const C* x, std::int64_t n, const Inverse& inverse) {
  const C count = static_cast<C>(n), mean = sum(n, [x](std::int64_t k) { return x[k]; }) / count;
  const C deviations = sum(n, [x, mean](std::int64_t k) { return x[k] - mean; });
  const C rest = std::isfinite(mean) ? deviations / count : C{0};
  const C squares = sum(n, [x, mean, rest](std::int64_t k) {
    const C d = (x[k] - mean) - rest;
    return d * d;
  });
  return {mean, rest, inverse(squares / count)};
}

/// Moments with 1/√(variance + epsilon) for the inverse deviation.
template <class C>
Moments<C> moments(const C* x, std::int64_t n, C epsilon) {
  return moments_by(x, n, [epsilon](C variance) { return 1 / std::sqrt(variance + epsilon); });
}

/// 0 and 1/√(mean square + epsilon).
template <class C>
Moments<C> mean_square(const C* x, std::int64_t n, C epsilon) {
  const C squares = sum(n, [x](std::int64_t k) { return x[k] * x[k]; });
  return {0, 0, 1 / std::sqrt(squares / static_cast<C>(n) + epsilon)};
}

/// y = ((x - mean) - rest)·inv_std·scale + bias for `count` lines of `length` neighbouring
/// elements; moments_of(line) are those of a line, and seen(i, moments) gets to know
/// them. Scale gives its values on a line as Affine does.
template <class T, class Scale, class MomentsOf, class Seen>
void normalize(std::span<const T> x, std::span<T> y, std::int64_t count, std::int64_t length, const Scale& scale,
               const Affine<T>& bias, const MomentsOf& moments_of, const Seen& seen) {
  using C = ir::compute_t<T>;
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, length));
  parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
    ScratchRoom<C> line(static_cast<std::size_t>(length)), own_scale, own_bias;
    for (std::int64_t i = begin; i < end; ++i) {
      const T* const from = x.data() + i * length;
      T* const to = y.data() + i * length;
      for (std::size_t k = 0; k < line.size(); ++k) line[k] = static_cast<C>(from[k]);
      const Moments<C> m = moments_of(line.data());
      const auto a = scale.line(i, own_scale), b = bias.line(i, own_bias);
      for (std::size_t k = 0; k < line.size(); ++k)
        to[k] = static_cast<T>(((line[k] - m.mean) - m.rest) * m.inv_std * a[k] + b[k]);
      seen(i, m);
    }
  });
}

/// Standardises lines of input 0 into output 0.
template <class T, class Scale, class MomentsOf, class Seen>
void normalize(Call& call, std::int64_t count, std::int64_t length, const Scale& scale, const Affine<T>& bias,
               const MomentsOf& moments_of, const Seen& seen) {
  normalize<T>(call.in(0).as<T>(), call.out(0).as<T>(), count, length, scale, bias, moments_of, seen);
}

/// Standardises the C/num_groups channels and all positions of each (n, group) of input 0,
/// [N, C, ..]. scale and bias are [C], or null.
inline void normalize_groups(Call& call, std::int64_t num_groups, double epsilon, const ir::TensorView* scale,
                             const ir::TensorView* bias) {
  const ir::Shape& shape = call.in(0).shape();
  if (shape.elements() == 0) return;
  const std::int64_t groups = shape[0] * num_groups, length = shape.elements() / groups;
  const ir::Shape& channels = call.kept([&] {
    ir::Shape of_each(shape.size() - 1, 1);
    of_each[0] = shape[1];
    return of_each;
  });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const Affine<T> factors(scale, channels, shape, length, C{1});
    const Affine<T> terms(bias, channels, shape, length, C{0});
    normalize<T>(
        call, groups, length, factors, terms, [&](const C* x) { return moments(x, length, static_cast<C>(epsilon)); },
        [](std::int64_t, const Moments<C>&) {});
  });
}

}  // namespace plumb::ref_cpu::kernels
