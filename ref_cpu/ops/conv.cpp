#include "ir/ops/conv.hpp"

#include <algorithm>
#include <array>

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/gemm/tile_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/spatial.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

/// A convolution in three dimensions; the leading ones are 1 where there are fewer.
struct Geometry {
  std::int64_t batch, group, channels, filters;  ///< channels and filters of one group
  std::array<ir::kernels::Window, 3> axes;

  Geometry(const ir::ops::Conv& op, const ir::Shape& x, const ir::Shape& w)
      : batch(x[0]), group(op.group), channels(w[1]), filters(w[0] / op.group) {
    const auto given = op.axes(x, w);
    std::ranges::copy(given, axes.end() - static_cast<std::ptrdiff_t>(given.size()));
  }

  /// Whether a channel has a few filters of its own.
  bool is_depthwise() const {
    constexpr std::int64_t few = 4;
    return channels == 1 && filters <= few;
  }
  std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  std::int64_t terms() const { return channels * taps(); }
  std::int64_t image() const { return axes[0].extent * axes[1].extent * axes[2].extent; }
  std::int64_t lines() const { return axes[0].positions() * axes[1].positions(); }
  std::int64_t positions() const { return lines() * axes[2].positions(); }

  /// Positions of the kernel when the lines of y are as far apart as those of the padded image.
  std::int64_t padded_positions() const {
    return ((axes[0].positions() - 1) * axes[1].padded() + axes[1].positions() - 1) * axes[2].padded() +
           axes[2].positions();
  }
  /// Whether computing those between the lines costs less than a matrix of columns.
  bool is_nearly_dense() const {
    constexpr std::int64_t tile = 16, longest = 1 << 20, little = 4096;
    const auto rounded = [](std::int64_t n) { return (n + tile - 1) / tile * tile; };
    if (std::ranges::any_of(axes, [](const ir::kernels::Window& a) { return a.stride != 1 || a.padded() > longest; }))
      return false;
    const std::int64_t padded = axes[0].padded() * axes[1].padded() * axes[2].padded();
    return padded <= 2 * image() + little && 7 * rounded(padded_positions()) <= 8 * rounded(positions());
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
  const auto inside = a2.positions_inside(t2, along);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t line = (first + done) / along, start = (first + done) % along;
    const std::int64_t length = std::min(along - start, count - done);
    C* const target = row + done;
    done += length;
    const C* const source = image_line(g, x + c * g.image(), line, t0, t1);
    const std::int64_t begin = start * a2.stride - a2.pad_begin + t2 * a2.dilation;
    const std::int64_t low = source == nullptr ? length : std::clamp<std::int64_t>(inside.begin - start, 0, length);
    const std::int64_t high = source == nullptr ? length : std::clamp<std::int64_t>(inside.end - start, low, length);
    std::fill(target, target + low, C{0});
    kernels::for_strided({low, high}, a2.stride,
                         [=](std::int64_t o, std::int64_t i) { target[o] = source[begin + i]; });
    std::fill(target + high, target + length, C{0});
  }
}

constexpr std::int64_t block_rows = 32, block_columns = 384;  ///< the block that one task computes

/// Positions of y as a product counts them: `across` of them from one line of y to the next.
struct Lines {
  std::int64_t first, across, below;  ///< below: of lines, from one plane of three axes to the next
};

/// Stores sums of positions [begin, end), leaving out those between the lines of y.
template <class T>
void store(const Geometry& g, const Lines& lines, std::int64_t begin, std::int64_t end, const ir::compute_t<T>* sums,
           ir::compute_t<T> bias, T* y) {
  const std::int64_t along = g.axes[2].positions(), rows = g.axes[1].positions();
  const std::int64_t from = lines.first + begin, to = lines.first + end;
  for (std::int64_t line = from / lines.across; line * lines.across < to; ++line) {
    const std::int64_t o0 = line / lines.below, o1 = line % lines.below, at = line * lines.across;
    if (o1 >= rows) continue;
    const std::int64_t low = std::max(from, at), high = std::min(to, at + along);
    T* const target = y + (o0 * rows + o1) * along - at;
    for (std::int64_t p = low; p < high; ++p) target[p] = static_cast<T>(sums[p - from] + bias);
  }
}

/// The filters of one group times b, of which the first `count` columns are positions of y.
template <class T>
void multiply_block(const Geometry& g, std::int64_t image, const ir::compute_t<T>* w, const T* bias,
                    const gemm::ScatteredRows<ir::compute_t<T>>& b, const Lines& lines, std::int64_t count, T* y) {
  using C = ir::compute_t<T>;
  const std::int64_t across = (count + block_columns - 1) / block_columns;
  const std::int64_t down = (g.filters + block_rows - 1) / block_rows, first_filter = image % g.group * g.filters;
  parallel_for(across * down, 1, [&](std::int64_t task, std::int64_t last) {
    for (; task < last; ++task) {
      const std::int64_t column = task % across * block_columns, row = task / across * block_rows;
      const std::int64_t end = std::min(column + block_columns, count), rows = std::min(block_rows, g.filters - row);
      const gemm::TileProduct<C> product(w + (first_filter + row) * g.terms(), rows, b, column, end - column);
      for (std::int64_t r = 0; r < rows; ++r)
        store(g, lines, column, end, product.row(r),
              bias != nullptr ? static_cast<C>(bias[first_filter + row + r]) : C{0},
              y + (image * g.filters + row + r) * g.positions());
    }
  });
}

/// Each row of the matrix of columns is a stretch of the padded image, if the lines of y are counted
/// as long as its own are.
template <class T>
void by_padded_image(const Geometry& g, std::int64_t image, const ir::compute_t<T>* x, const ir::compute_t<T>* w,
                     const T* bias, T* y) {
  using C = ir::compute_t<T>;
  const auto &a0 = g.axes[0], &a1 = g.axes[1], &a2 = g.axes[2];
  const std::int64_t line = a2.padded(), plane = a1.padded() * line, volume = a0.padded() * plane;
  ScratchVector<C> padded(static_cast<std::size_t>(g.channels * volume + gemm::TileProduct<C>::widest_tile), C{0});
  parallel_for(g.channels, std::max<std::int64_t>(1, (1 << 15) / (volume + 1)), [&](std::int64_t c, std::int64_t end) {
    for (; c < end; ++c)
      for (std::int64_t row = 0; row < a0.extent * a1.extent; ++row)
        std::copy_n(x + ((image * g.channels + c) * a0.extent * a1.extent + row) * a2.extent, a2.extent,
                    padded.data() + c * volume + (row / a1.extent + a0.pad_begin) * plane +
                        (row % a1.extent + a1.pad_begin) * line + a2.pad_begin);
  });
  ScratchVector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(g.terms()));
  for (std::int64_t c = 0; c < g.channels; ++c)
    for (std::int64_t t = 0; t < g.taps(); ++t)
      offsets.push_back(c * volume + t / (a1.kernel * a2.kernel) * a0.dilation * plane +
                        t / a2.kernel % a1.kernel * a1.dilation * line + t % a2.kernel * a2.dilation);
  multiply_block(g, image, w, bias, gemm::ScatteredRows<C>{padded.data(), offsets.data(), g.terms()},
                 {0, line, a1.padded()}, g.padded_positions(), y);
}

/// A block of the matrix of columns, and its product with all filters.
template <class T>
void by_columns(const Geometry& g, std::int64_t image, std::int64_t first, std::int64_t count,
                const ir::compute_t<T>* x, const ir::compute_t<T>* w, const T* bias, T* y) {
  using C = ir::compute_t<T>;
  ScratchVector<C> columns(static_cast<std::size_t>(g.terms() * count + gemm::TileProduct<C>::widest_tile));
  ScratchVector<std::int64_t> offsets(static_cast<std::size_t>(g.terms()));
  parallel_for(g.terms(), (1 << 15) / count + 1, [&](std::int64_t term, std::int64_t end) {
    for (; term < end; ++term) {
      offsets[static_cast<std::size_t>(term)] = term * count;
      fill_row(g, x + image * g.channels * g.image(), term, first, count, columns.data() + term * count);
    }
  });
  const std::int64_t along = g.axes[2].positions();
  multiply_block(g, image, w, bias, gemm::ScatteredRows<C>{columns.data(), offsets.data(), g.terms()},
                 {first, along, g.axes[1].positions()}, count, y);
}

/// Products of the filters with what they meet, image by image and group by group.
template <class T>
void by_products(const Geometry& g, const ir::compute_t<T>* x, const ir::compute_t<T>* w, const T* bias, T* y) {
  const bool direct = g.is_nearly_dense();
  const std::int64_t each = std::clamp<std::int64_t>((1 << 21) / std::max<std::int64_t>(g.terms(), 1), 64, 1536);
  const std::int64_t blocks = direct ? 1 : (g.positions() + each - 1) / each;
  parallel_for(g.batch * g.group * blocks, 1, [&](std::int64_t task, std::int64_t end) {
    for (; task < end; ++task) {
      const std::int64_t image = task / blocks, first = task % blocks * each;
      if (direct)
        by_padded_image<T>(g, image, x, w, bias, y);
      else
        by_columns<T>(g, image, first, std::min(each, g.positions() - first), x, w, bias, y);
    }
  });
}

/// sums[o] += what each tap of one channel's kernel meets at a line of y.
template <class C>
void add_taps(const Geometry& g, const C* image, const C* kernel, std::int64_t line, ScratchVector<C>& sums) {
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
    ScratchVector<C> sums(static_cast<std::size_t>(along));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t plane = i / g.lines(), filter = plane % filters;
      const C behind = bias != nullptr ? static_cast<C>(bias[filter]) : C{0};
      std::ranges::fill(sums, C{0});
      add_taps(g, x + plane / g.filters * g.image(), w + filter * g.taps(), i % g.lines(), sums);
      std::ranges::transform(sums, y + i * along, [behind](C sum) { return static_cast<T>(sum + behind); });
    }
  });
}

}  // namespace

/// One chain in both kernels: what lies outside the image adds zeros, which round nothing.
void run(const ir::ops::Conv& op, Call& call) {
  const Geometry& g = call.kept([&] { return Geometry(op, call.in(0).shape(), call.in(1).shape()); });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const kernels::Computed<T> x(call.in(0)), w(call.in(1));
    const T* const bias = op.has_bias ? call.in(2).as<T>().data() : nullptr;
    T* const y = call.out(0).as<T>().data();
    if (g.is_depthwise())
      depthwise<T>(g, x.data(), w.data(), bias, y);
    else
      by_products<T>(g, x.data(), w.data(), bias, y);
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::Conv& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  const bool is_depthwise = Geometry(op, in[0].shape, in[1].shape).is_depthwise();
  ir::Sum sum{.unit = is_depthwise ? ir::SumUnit::separate : gemm::unit_of_floats(), .levels = {{}}};
  if (op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  return {sum};
}

}  // namespace plumb::ref_cpu
