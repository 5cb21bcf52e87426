#include "ir/ops/conv.hpp"

#include <algorithm>
#include <array>

#include "ref_cpu/computed.hpp"
#include "ref_cpu/gemm.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {
namespace {

/// A convolution in three dimensions; the leading ones are 1 where there are fewer.
struct Geometry {
  std::int64_t batch, group, channels, filters;  ///< channels and filters of one group
  std::array<ir::Window, 3> axes;

  Geometry(const ir::ops::Conv& op, const ir::Shape& x, const ir::Shape& w)
      : batch(x[0]), group(op.group), channels(w[1]), filters(w[0] / op.group) {
    const auto given = op.axes(x, w);
    std::ranges::copy(given, axes.end() - static_cast<std::ptrdiff_t>(given.size()));
  }

  std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  std::int64_t terms() const { return channels * taps(); }
  std::int64_t image() const { return axes[0].extent * axes[1].extent * axes[2].extent; }
  std::int64_t lines() const { return axes[0].positions() * axes[1].positions(); }
  std::int64_t positions() const { return lines() * axes[2].positions(); }

  /// The image is its own matrix of columns.
  bool pointwise() const {
    return std::ranges::all_of(
        axes, [](const ir::Window& a) { return a.kernel == 1 && a.stride == 1 && a.pad_begin == 0 && a.pad_end == 0; });
  }
};

/// The line of the image that tap (t0, t1) of a kernel meets at line `line` of y; null outside.
template <class C>
const C* image_line(const Geometry& g, const C* image, std::int64_t line, std::int64_t t0, std::int64_t t1) {
  const auto &a0 = g.axes[0], &a1 = g.axes[1];
  const std::int64_t i0 = line / a1.positions() * a0.stride - a0.pad_begin + t0 * a0.dilation;
  const std::int64_t i1 = line % a1.positions() * a1.stride - a1.pad_begin + t1 * a1.dilation;
  if (i0 < 0 || i0 >= a0.extent || i1 < 0 || i1 >= a1.extent) return nullptr;
  return image + (i0 * a1.extent + i1) * g.axes[2].extent;
}

/// Row (c, t0, t1, t2) of the matrix of columns, for positions [first, first + count) of y.
template <class C>
void fill_row(const Geometry& g, const C* x, std::int64_t term, std::int64_t first, std::int64_t count, C* row) {
  const auto &a1 = g.axes[1], &a2 = g.axes[2];
  const std::int64_t t2 = term % a2.kernel, t1 = term / a2.kernel % a1.kernel;
  const std::int64_t t0 = term / (a2.kernel * a1.kernel) % g.axes[0].kernel, c = term / g.taps();
  const std::int64_t along = a2.positions();
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t line = (first + done) / along, start = (first + done) % along;
    const std::int64_t length = std::min(along - start, count - done);
    C* const target = row + done;
    done += length;
    const C* const source = image_line(g, x + c * g.image(), line, t0, t1);
    const std::int64_t begin = start * a2.stride - a2.pad_begin + t2 * a2.dilation;
    const auto inside = a2.positions_inside(t2, along);
    const std::int64_t low = source == nullptr ? length : std::clamp<std::int64_t>(inside.begin - start, 0, length);
    const std::int64_t high = source == nullptr ? length : std::clamp<std::int64_t>(inside.end - start, low, length);
    std::fill(target, target + low, C{0});
    for (std::int64_t o = low; o < high; ++o) target[o] = source[begin + o * a2.stride];
    std::fill(target + high, target + length, C{0});
  }
}

/// Products of the filters with the image's columns, panel by panel.
template <class T>
void by_columns(const Geometry& g, const ir::compute_t<T>* x, const ir::compute_t<T>* w, const T* bias, T* y) {
  using C = ir::compute_t<T>;
  const std::int64_t k = g.terms(), n = g.positions();
  const std::int64_t widest = std::clamp<std::int64_t>((1 << 19) / std::max<std::int64_t>(k, 1), 64, 512);
  for_each_panel(g.batch * g.group, g.filters, n, k, [&](const Panel& p) {
    const C* const image = x + p.batch * g.channels * g.image();
    const std::int64_t filter = p.batch % g.group * g.filters + p.row;
    const auto left = row_major(w + filter * k, p.rows, k);
    const auto target = row_major(y + (p.batch * g.filters + p.row) * n, p.rows, n);
    const auto finish = [&](C sum, std::int64_t row, std::int64_t) {
      return bias != nullptr ? sum + static_cast<C>(bias[filter + row]) : sum;
    };
    if (g.pointwise())
      return multiply(left, row_major(image, k, n).block(0, p.column, k, p.columns),
                      target.block(0, p.column, p.rows, p.columns), finish);
    std::vector<C> columns;
    for (std::int64_t done = 0; done < p.columns; done += widest) {
      const std::int64_t count = std::min(widest, p.columns - done), first = p.column + done;
      columns.resize(static_cast<std::size_t>(k * count));
      for (std::int64_t term = 0; term < k; ++term)
        fill_row(g, image, term, first, count, columns.data() + term * count);
      multiply(left, row_major(columns.data(), k, count).as_const(), target.block(0, first, p.rows, count), finish);
    }
  });
}

/// sums[o] += what each tap of one channel's kernel meets at a line of y.
template <class C>
void add_taps(const Geometry& g, const C* image, const C* kernel, std::int64_t line, std::vector<C>& sums) {
  const auto& a2 = g.axes[2];
  const auto count = static_cast<std::int64_t>(sums.size());
  C* const sum = sums.data();
  for (std::int64_t t = 0; t < g.taps(); ++t) {
    const C weight = kernel[t], outside = weight * C{0};  // NaN when the weight is not finite
    const C* const source =
        image_line(g, image, line, t / (a2.kernel * g.axes[1].kernel), t / a2.kernel % g.axes[1].kernel);
    const std::int64_t begin = t % a2.kernel * a2.dilation - a2.pad_begin;
    const auto inside = a2.positions_inside(t % a2.kernel, count);
    const std::int64_t low = source == nullptr ? count : inside.begin, high = source == nullptr ? count : inside.end;
    for (std::int64_t o = 0; o < low; ++o) sum[o] += outside;
    if (a2.stride == 1)
      for (std::int64_t o = low; o < high; ++o) sum[o] += weight * source[begin + o];
    else
      for (std::int64_t o = low; o < high; ++o) sum[o] += weight * source[begin + o * a2.stride];
    for (std::int64_t o = high; o < count; ++o) sum[o] += outside;
  }
}

/// Few taps and few filters a channel: line by line of y, without a matrix.
template <class T>
void depthwise(const Geometry& g, const ir::compute_t<T>* x, const ir::compute_t<T>* w, const T* bias, T* y) {
  using C = ir::compute_t<T>;
  const std::int64_t filters = g.group * g.filters, along = g.axes[2].positions();
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / (along * g.taps() + 1));
  parallel_for(g.batch * filters * g.lines(), grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<C> sums(static_cast<std::size_t>(along));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t plane = i / g.lines(), filter = plane % filters;
      std::ranges::fill(sums, bias != nullptr ? static_cast<C>(bias[filter]) : C{0});
      add_taps(g, x + plane / g.filters * g.image(), w + filter * g.taps(), i % g.lines(), sums);
      std::ranges::transform(sums, y + i * along, [](C sum) { return static_cast<T>(sum); });
    }
  });
}

}  // namespace

void run(const ir::ops::Conv& op, Call& call) {
  const Geometry g(op, call.in(0).shape(), call.in(1).shape());
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const Computed<T> x(call.in(0)), w(call.in(1));
    const T* const bias = op.has_bias ? call.in(2).as<T>().data() : nullptr;
    T* const y = call.out(0).as<T>().data();
    constexpr std::int64_t few = 4;
    if (g.channels == 1 && g.filters <= few)
      depthwise<T>(g, x.data(), w.data(), bias, y);
    else
      by_columns<T>(g, x.data(), w.data(), bias, y);
  });
}

}  // namespace plumb::ref_cpu
