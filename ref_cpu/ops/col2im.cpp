// Col2im plane by plane, added up in the compute type and rounded once.
#include "ir/ops/col2im.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/spatial.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Col2im& op, Call& call) {
  const ir::Shape& y_shape = call.out(0).shape();
  const auto& w = call.kept([&] {
    ir::Shape positions;
    for (const ir::kernels::Window& axis : op.axes()) positions.push_back(axis.positions());
    return kernels::Windows(op.axes(), positions);
  });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> x(call.in(0));
    T* const y = call.out(0).as<T>().data();
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / (w.taps() * w.count() + w.image() + 1));
    parallel_for(y_shape[0] * y_shape[1], grain, [&](std::int64_t plane, std::int64_t end) {
      for (; plane < end; ++plane) {
        ScratchVector<C> image(static_cast<std::size_t>(w.image()), C{0});
        kernels::add_columns(w, x.data() + plane * w.taps() * w.count(), image.data());
        std::ranges::transform(image, y + plane * w.image(), [](C sum) { return static_cast<T>(sum); });
      }
    });
  });
}

}  // namespace plumb::ref_cpu
