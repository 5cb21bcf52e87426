#include "ir/ops/mean_variance_norm.hpp"

#include <utility>

#include "ref_cpu/kernels/normalize.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {
namespace {

/// So many lines of neighbouring elements.
void normalize_lines(double epsilon, std::int64_t lines, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  if (shape.elements() == 0) return;
  const std::int64_t length = shape.elements() / lines;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Affine<T> one(nullptr, shape, length, C{1}), none(nullptr, shape, length, C{0});
    const auto inverse = [&](C variance) { return 1 / (std::sqrt(variance) + static_cast<C>(epsilon)); };
    kernels::normalize<T>(
        call, lines, length, one, none, [&](const C* x) { return kernels::moments_by(x, length, inverse); },
        [](std::int64_t, const kernels::Moments<C>&) {});
  });
}

}  // namespace

void run(const ir::ops::MeanVarianceNorm& op, Call& call) {
  const auto turned = op.turned(call.in(0).type());
  const std::int64_t count = turned.shape.leading(turned.kept).elements();
  if (turned.there.is_plain()) return normalize_lines(op.epsilon, count, call);
  ir::Tensor x({call.in(0).dtype(), turned.shape}), y(x.type());
  kernels::strided_copy(turned.there, call.in(0).bytes(), x.bytes());
  Call lines{{std::as_const(x).view()}, {y.view()}};
  normalize_lines(op.epsilon, count, lines);
  kernels::strided_copy(turned.back, y.bytes(), call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
