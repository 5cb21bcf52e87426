// Norms of lines that a condition modulates, by 1 + scale and shift.
#include "ir/ops/ada_norm.hpp"

#include "ref_cpu/kernels/normalize.hpp"

namespace plumb::ref_cpu {
namespace {

/// The factors of lines: one more than their scales.
template <class T>
class Modulation {
 public:
  using C = ir::compute_t<T>;

  Modulation(const ir::TensorView& scale, const ir::Shape& x, std::int64_t length) : scale_(&scale, x, length, C{0}) {}

  std::span<const C> line(std::int64_t line, ScratchRoom<C>& own) const {
    const std::span<const C> scales = scale_.line(line, own);
    own.resize(scales.size());
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = C{1} + scales[k];
    return own;
  }

 private:
  kernels::Affine<T> scale_;
};

}  // namespace

void run(const ir::ops::AdaNorm& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto& lines = call.kept([&] { return ir::lines_from(shape, -1); });
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const Modulation<T> scale(call.in(1), shape, lines.length);
    const kernels::Affine<T> shift(&call.in(2), shape, lines.length, C{0});
    const auto moments_of = [&](const C* x) {
      const C epsilon = static_cast<C>(op.epsilon);
      return op.kind == ir::ops::AdaNormKind::layer ? kernels::moments(x, lines.length, epsilon)
                                                    : kernels::mean_square(x, lines.length, epsilon);
    };
    kernels::normalize<T>(call, lines.outer, lines.length, scale, shift, moments_of,
                          [](std::int64_t, const kernels::Moments<C>&) {});
  });
}

}  // namespace plumb::ref_cpu
