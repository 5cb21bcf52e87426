#include "ir/ops/grid_sample.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::GridSample;
using ir::ops::SampleMode;
using ir::ops::SamplePadding;

/// The taps along one axis; index -1 where there is nothing but 0.
template <class C>
struct Taps {
  std::array<std::int64_t, 4> index{-1, -1, -1, -1};
  std::array<C, 4> weight{};

  /// A tap without weight is none, so that it lets no infinity in.
  bool has(std::size_t k) const { return index[k] >= 0 && weight[k] != 0; }
};

/// u reflected at both ends until it is in [low, high].
template <class C>
C reflected(C u, C low, C high) {
  if (!(u < low || u > high)) return u;
  const C range = high - low;
  if (range == 0) return low;
  const C beyond = std::fmod(std::abs(u - low), 2 * range);
  return low + (beyond > range ? 2 * range - beyond : beyond);
}

/// One axis of the image.
template <class C>
struct Axis {
  const GridSample& op;
  std::int64_t extent;

  C last() const { return static_cast<C>(extent - 1); }
  C low() const { return op.align_corners ? C{0} : C(-0.5); }
  C high() const { return op.align_corners ? last() : static_cast<C>(extent) - C(0.5); }

  /// The element that a whole number means; -1 for none.
  std::int64_t element(C j) const {
    if (op.padding == SamplePadding::reflection) j = std::trunc(reflected(j, low(), high()));
    if (op.padding == SamplePadding::zeros && !(j >= 0 && j <= last())) return -1;
    return !(j > 0) ? 0 : j >= last() ? extent - 1 : static_cast<std::int64_t>(j);
  }

  Taps<C> taps(C g) const {
    const auto n = static_cast<C>(extent);
    C u = op.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
    Taps<C> made;
    if (op.mode == SampleMode::nearest) {
      made.index[0] = element(std::nearbyint(u));
      made.weight[0] = 1;
      return made;
    }
    if (op.mode == SampleMode::linear && op.padding != SamplePadding::zeros) {
      if (op.padding == SamplePadding::reflection) u = reflected(u, low(), high());
      u = u < 0 ? C{0} : u > last() ? last() : u;
    }
    const C begin = std::floor(u), f = u - begin;
    if (op.mode == SampleMode::linear) {
      made.index = {element(begin), element(begin + 1), -1, -1};
      made.weight = {1 - f, f, 0, 0};
    } else {
      for (int k = 0; k < 4; ++k) made.index[static_cast<std::size_t>(k)] = element(begin + static_cast<C>(k - 1));
      made.weight = {outer(1 + f), inner(f), inner(1 - f), outer(2 - f)};
    }
    return made;
  }

  /// Keys' kernel with a = -3/4, up to 1 and up to 2.
  static C inner(C t) { return (C(1.25) * t - C(2.25)) * t * t + 1; }
  static C outer(C t) { return ((C(-0.75) * t + C(3.75)) * t - 6) * t + 3; }
};

/// Three axes, the leading ones 1 with one tap where there are fewer.
template <class C>
struct Point {
  std::array<Taps<C>, 3> along;
  bool is_nowhere = false;

  Point(const GridSample& op, const ir::Shape& x, std::span<const C> g) {
    for (Taps<C>& taps : along) {
      taps.index[0] = 0;
      taps.weight[0] = 1;
    }
    for (std::size_t a = 0; a < g.size(); ++a) {
      const C coordinate = g[g.size() - 1 - a];
      is_nowhere = is_nowhere || std::isnan(coordinate) || (std::isinf(coordinate) && !has_end(op));
      const Axis<C> axis{op, x[2 + a]};
      if (!is_nowhere) along[3 - g.size() + a] = axis.taps(coordinate);
    }
  }

  /// Whether the image has a value infinitely far away: 0, or its edge.
  static bool has_end(const GridSample& op) {
    return op.padding == SamplePadding::zeros || (op.padding == SamplePadding::border && op.mode != SampleMode::cubic);
  }

  C value(const C* plane, const std::array<std::int64_t, 3>& extent) const {
    if (is_nowhere) return std::numeric_limits<C>::quiet_NaN();
    C sum = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4 && along[0].has(i); ++j) {
        if (!along[1].has(j)) continue;
        C line = 0;
        const C* const row = plane + (along[0].index[i] * extent[1] + along[1].index[j]) * extent[2];
        for (std::size_t k = 0; k < 4; ++k)
          if (along[2].has(k)) line += along[2].weight[k] * row[along[2].index[k]];
        sum += along[0].weight[i] * along[1].weight[j] * line;
      }
    return sum;
  }
};

}  // namespace

void run(const ir::ops::GridSample& op, Call& call) {
  const ir::Shape& x_shape = call.in(0).shape();
  const std::size_t rank = x_shape.size() - 2;
  std::array<std::int64_t, 3> extent{1, 1, 1};
  std::copy_backward(x_shape.begin() + 2, x_shape.end(), extent.end());
  const std::int64_t channels = x_shape[1], image = extent[0] * extent[1] * extent[2];
  const std::int64_t points = call.out(0).shape().elements() / (x_shape[0] * channels);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> x(call.in(0)), grid(call.in(1));
    T* const y = call.out(0).as<T>().data();
    const std::int64_t grain = std::max<std::int64_t>(1, 2048 / channels);
    parallel_for(x_shape[0] * points, grain, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) {
        const std::int64_t n = begin / points, o = begin % points;
        const Point<C> point(op, x_shape, {grid.data() + static_cast<std::size_t>(begin) * rank, rank});
        for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c)
          y[c * points + o] = static_cast<T>(point.value(x.data() + c * image, extent));
      }
    });
  });
}

}  // namespace plumb::ref_cpu
