// Layer norm of lines with broadcast scale and bias, and the mean and inverse deviation where they are asked for.
#include "ir/ops/layer_norm.hpp"

#include "ref_cpu/kernels/normalize.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::LayerNorm& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto& lines = call.kept([&] { return ir::lines_from(shape, op.axis); });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Affine<T> scale(op.has_scale ? &call.in(1) : nullptr, shape, lines.length, C{1});
    const kernels::Affine<T> bias(op.has_bias ? &call.inputs.back() : nullptr, shape, lines.length, C{0});
    const auto mean = op.statistics ? call.out(1).as<C>() : std::span<C>();
    const auto inv_std = op.statistics ? call.out(2).as<C>() : std::span<C>();
    kernels::normalize<T>(
        call, lines.outer, lines.length, scale, bias,
        [&](const C* x) { return kernels::moments(x, lines.length, static_cast<C>(op.epsilon)); },
        [&](std::int64_t i, const kernels::Moments<C>& m) {
          if (!op.statistics) return;
          mean[static_cast<std::size_t>(i)] = m.mean + m.rest;
          inv_std[static_cast<std::size_t>(i)] = m.inv_std;
        });
  });
}

}  // namespace plumb::ref_cpu
