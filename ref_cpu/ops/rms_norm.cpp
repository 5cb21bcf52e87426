// RMS norm of lines by their mean square, with broadcast scale and bias.
#include "ir/ops/rms_norm.hpp"

#include "ref_cpu/kernels/normalize.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::RmsNorm& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto& lines = call.kept([&] { return ir::lines_from(shape, op.axis); });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Affine<T> scale(op.has_scale ? &call.in(1) : nullptr, shape, lines.length, C{1});
    const kernels::Affine<T> bias(op.has_bias ? &call.inputs.back() : nullptr, shape, lines.length, C{0});
    kernels::normalize<T>(
        call, lines.outer, lines.length, scale, bias,
        [&](const C* x) { return kernels::mean_square(x, lines.length, static_cast<C>(op.epsilon)); },
        [](std::int64_t, const kernels::Moments<C>&) {});
  });
}

}  // namespace plumb::ref_cpu
