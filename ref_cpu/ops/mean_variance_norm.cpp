// Lines along any axes: where they are not neighbours they are copied there, and back.
#include "ir/ops/mean_variance_norm.hpp"

#include <optional>

#include "ref_cpu/kernels/elements.hpp"
#include "ref_cpu/kernels/normalize.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// Lines of neighbouring elements, and the copies that make them of x, and y of them; none where x has them.
struct LinesOfNorm {
  ir::Shape shape;
  std::int64_t count = 0;
  std::optional<kernels::PlannedCopy> there, back;
};

LinesOfNorm lines_of_norm(const ir::ops::MeanVarianceNorm& op, const ir::TensorType& x) {
  const auto turned = op.turned(x);
  LinesOfNorm lines{turned.shape, turned.shape.leading(turned.kept).elements(), {}, {}};
  if (turned.there.is_plain()) return lines;
  lines.there.emplace(turned.there);
  lines.back.emplace(turned.back);
  return lines;
}

void normalize_lines(double epsilon, const LinesOfNorm& lines, const kernels::Elements& x,
                     const kernels::MutableElements& y) {
  const std::int64_t length = x.count() / lines.count;
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Affine<T> one(nullptr, lines.shape, length, C{1}), none(nullptr, lines.shape, length, C{0});
    const auto inverse = [&](C variance) { return 1 / (std::sqrt(variance) + static_cast<C>(epsilon)); };
    kernels::normalize<T>(
        x.as<T>(), y.as<T>(), lines.count, length, one, none,
        [&](const C* line) { return kernels::moments_by(line, length, inverse); },
        [](std::int64_t, const kernels::Moments<C>&) {});
  });
}

}  // namespace

void run(const ir::ops::MeanVarianceNorm& op, Call& call) {
  const ir::DType dtype = call.in(0).dtype();
  const LinesOfNorm& lines = call.kept([&] { return lines_of_norm(op, call.in(0).type()); });
  if (!lines.there) return normalize_lines(op.epsilon, lines, call.in(0), call.out(0));
  const std::size_t bytes = call.in(0).bytes().size();
  ScratchRoom<std::byte> x(bytes), y(bytes);
  kernels::strided_copy(*lines.there, call.in(0).bytes(), x);
  normalize_lines(op.epsilon, lines, {dtype, x}, {dtype, y});
  kernels::strided_copy(*lines.back, y, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
