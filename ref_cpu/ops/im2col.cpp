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
  constexpr auto bytes = static_cast<std::int64_t>(width);
  const std::int64_t stride = w.axes[2].stride;
  std::fill_n(row, w.count() * bytes, std::byte{});
  kernels::for_each_line_of_tap(w, tap, [=](ir::kernels::IndexRange range, std::int64_t at, std::int64_t line) {
    kernels::for_strided(range, stride, [=](std::int64_t o, std::int64_t i) {
      std::memcpy(row + (line + o) * bytes, plane + (at + i) * bytes, width);
    });
  });
}

}  // namespace

void run(const ir::ops::Im2col& op, Call& call) {
  const ir::TensorView& x = call.in(0);
  const auto& w = call.kept([&] {
    const std::vector<ir::kernels::Window> axes = op.axes(x.shape());
    ir::Shape positions;
    for (const ir::kernels::Window& axis : axes) positions.push_back(axis.positions());
    return kernels::Windows(axes, positions);
  });
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
