#include "ir/ops/group_norm.hpp"

#include "ref_cpu/normalize.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::GroupNorm& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  if (shape.elements() == 0) return;
  const std::int64_t groups = shape[0] * op.num_groups, length = shape.elements() / groups;
  const auto per_channel = [&](const ir::TensorView& operand) {
    ir::Shape channels(shape.size() - 1, 1);
    channels[0] = shape[1];
    return ir::TensorView({operand.dtype(), std::move(channels)}, operand.bytes());
  };
  const auto scales = op.has_scale ? per_channel(call.in(1)) : ir::TensorView();
  const auto biases = op.has_bias ? per_channel(call.inputs.back()) : ir::TensorView();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const Affine<T> scale(op.has_scale ? &scales : nullptr, shape, length, C{1});
    const Affine<T> bias(op.has_bias ? &biases : nullptr, shape, length, C{0});
    normalize<T>(
        call, groups, length, scale, bias, [&](const C* x) { return moments(x, length, static_cast<C>(op.epsilon)); },
        [](std::int64_t, const Moments<C>&) {});
  });
}

}  // namespace plumb::ref_cpu
