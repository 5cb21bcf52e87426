// Im2col row by row: a row is what one tap of a plane sees from every position, zero bytes where that is padding.
#include "ir/ops/im2col.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/spatial.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

/// Writes what tap `tap` sees of a plane into `row`. Elements have `width` bytes.
template <std::size_t width>
void look_through(const kernels::Windows& w, std::int64_t tap, const std::byte* plane, std::byte* row) {
  const auto &a0 = w.axes[0], &a1 = w.axes[1], &a2 = w.axes[2];
  const std::int64_t t0 = tap / (a2.kernel * a1.kernel), t1 = tap / a2.kernel % a1.kernel, t2 = tap % a2.kernel;
  const auto range0 = a0.positions_inside(t0, w.positions[0]), range1 = a1.positions_inside(t1, w.positions[1]);
  const auto range2 = a2.positions_inside(t2, w.positions[2]);
  std::fill_n(row, static_cast<std::size_t>(w.count()) * width, std::byte{});
  for (std::int64_t o0 = range0.begin; o0 < range0.end; ++o0)
    for (std::int64_t o1 = range1.begin; o1 < range1.end; ++o1) {
      const std::int64_t i0 = o0 * a0.stride - a0.pad_begin + t0 * a0.dilation;
      const std::int64_t i1 = o1 * a1.stride - a1.pad_begin + t1 * a1.dilation;
      const std::int64_t from = (i0 * a1.extent + i1) * a2.extent + t2 * a2.dilation - a2.pad_begin;
      const std::int64_t to = (o0 * w.positions[1] + o1) * w.positions[2];
      constexpr auto bytes = static_cast<std::int64_t>(width);
      kernels::for_strided(range2, a2.stride, [=](std::int64_t o, std::int64_t i) {
        std::memcpy(row + (to + o) * bytes, plane + (from + i) * bytes, width);
      });
    }
}

}  // namespace

void run(const ir::ops::Im2col& op, Call& call) {
  const ir::TensorView& x = call.in(0);
  const std::vector<ir::kernels::Window> axes = op.axes(x.shape());
  ir::Shape positions;
  for (const ir::kernels::Window& axis : axes) positions.push_back(axis.positions());
  const kernels::Windows w(axes, positions);
  const std::int64_t rows = x.shape()[0] * x.shape()[1] * w.taps();
  kernels::with_width(ir::info(x.dtype()).bytes, [&]<std::size_t width>(std::integral_constant<std::size_t, width>) {
    const auto bytes = static_cast<std::int64_t>(width);
    const std::byte* const image = x.bytes().data();
    std::byte* const y = call.out(0).bytes().data();
    parallel_for(rows, std::max<std::int64_t>(1, (1 << 16) / (w.count() + 1)), [&](std::int64_t row, std::int64_t end) {
      for (; row < end; ++row)
        look_through<width>(w, row % w.taps(), image + row / w.taps() * w.image() * bytes, y + row * w.count() * bytes);
    });
  });
}

}  // namespace plumb::ref_cpu
