#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ir/kernels/window.hpp"

namespace plumb::ref_cpu::kernels {

/// Windows over an image in three dimensions; the leading ones are 1 where there are fewer.
struct Windows {
  /// A tap of the last axis: position o of the range meets element at + o * stride of the image's line.
  struct Tap {
    ir::kernels::IndexRange range;
    std::int64_t at;
  };

  std::array<ir::kernels::Window, 3> axes;
  std::array<std::int64_t, 3> positions{1, 1, 1};
  std::vector<Tap> last;  ///< those that meet the image anywhere

  /// `y` ends with the positions on each axis of `given`.
  Windows(const std::vector<ir::kernels::Window>& given, const ir::Shape& y) {
    const auto rank = static_cast<std::ptrdiff_t>(given.size());
    std::ranges::copy(given, axes.end() - rank);
    std::copy(y.end() - rank, y.end(), positions.end() - rank);
    for (std::int64_t t = 0; t < axes[2].kernel; ++t)
      if (const auto range = axes[2].positions_inside(t, positions[2]); range.count() > 0)
        last.push_back({range, t * axes[2].dilation - axes[2].pad_begin});
  }

  std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  std::int64_t image() const { return axes[0].extent * axes[1].extent * axes[2].extent; }
  /// Lines of positions along the last axis.
  std::int64_t lines() const { return positions[0] * positions[1]; }
  std::int64_t count() const { return lines() * positions[2]; }
};

/// body(o, o * stride) for every o of a range; loops over the common strides become vector code.
template <class Body>
void for_strided(ir::kernels::IndexRange range, std::int64_t stride, const Body& body) {
  if (stride == 1)
    for (std::int64_t o = range.begin; o < range.end; ++o) body(o, o);
  else if (stride == 2)
    for (std::int64_t o = range.begin; o < range.end; ++o) body(o, 2 * o);
  else
    for (std::int64_t o = range.begin; o < range.end; ++o) body(o, o * stride);
}

/// visit(range, at) for every tap of line `line` of the positions, in order: position o of
/// the range meets the element at + o * stride of the image, stride that of the last axis.
template <class Visit>
void for_each_tap(const Windows& w, std::int64_t line, const Visit& visit) {
  const auto &a0 = w.axes[0], &a1 = w.axes[1], &a2 = w.axes[2];
  const std::int64_t o0 = line / w.positions[1], o1 = line % w.positions[1];
  const auto taps0 = a0.taps_inside(o0), taps1 = a1.taps_inside(o1);
  for (std::int64_t t0 = taps0.begin; t0 < taps0.end; ++t0)
    for (std::int64_t t1 = taps1.begin; t1 < taps1.end; ++t1) {
      const std::int64_t i0 = o0 * a0.stride - a0.pad_begin + t0 * a0.dilation;
      const std::int64_t i1 = o1 * a1.stride - a1.pad_begin + t1 * a1.dilation;
      const std::int64_t row = (i0 * a1.extent + i1) * a2.extent;
      for (const Windows::Tap& tap : w.last) visit(tap.range, row + tap.at);
    }
}

/// visit(range, at, line) for every line of positions from which tap `t` meets the image: position o of the range is
/// number line + o, and meets the element at + o * stride of the image, stride that of the last axis.
template <class Visit>
void for_each_line_of_tap(const Windows& w, std::int64_t t, const Visit& visit) {
  const auto &a0 = w.axes[0], &a1 = w.axes[1], &a2 = w.axes[2];
  const std::int64_t t0 = t / (a2.kernel * a1.kernel), t1 = t / a2.kernel % a1.kernel, t2 = t % a2.kernel;
  const auto range0 = a0.positions_inside(t0, w.positions[0]), range1 = a1.positions_inside(t1, w.positions[1]);
  const auto range2 = a2.positions_inside(t2, w.positions[2]);
  for (std::int64_t o0 = range0.begin; o0 < range0.end; ++o0)
    for (std::int64_t o1 = range1.begin; o1 < range1.end; ++o1) {
      const std::int64_t i0 = o0 * a0.stride - a0.pad_begin + t0 * a0.dilation;
      const std::int64_t i1 = o1 * a1.stride - a1.pad_begin + t1 * a1.dilation;
      const std::int64_t at = (i0 * a1.extent + i1) * a2.extent + t2 * a2.dilation - a2.pad_begin;
      visit(range2, at, (o0 * w.positions[1] + o1) * w.positions[2]);
    }
}

/// image[i] += Σ columns[t, o] over the taps t that meet element i of the image from position o.
template <class C>
void add_columns(const Windows& w, const C* columns, C* image) {
  const std::int64_t stride = w.axes[2].stride;
  for (std::int64_t t = 0; t < w.taps(); ++t, columns += w.count())
    for_each_line_of_tap(w, t, [=](ir::kernels::IndexRange range, std::int64_t at, std::int64_t line) {
      for_strided(range, stride, [=](std::int64_t o, std::int64_t i) { image[at + i] += columns[line + o]; });
    });
}

}  // namespace plumb::ref_cpu::kernels
