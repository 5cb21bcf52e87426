// Real lines of half spectra are held to the 2-norm of their errors; what is ignored of a spectrum does not count.
#include "ir/ops/irfft.hpp"

#include "parity/judges/lines.hpp"

namespace plumb::parity::judges {
namespace {

/// x without the imaginary parts that the op ignores, whatever they are.
ir::Tensor without_ignored(ir::Tensor x, const compare::Line& line, std::int64_t n) {
  const auto numbers = x.as<std::complex<double>>();
  const auto length = static_cast<std::size_t>(line.length), inner = static_cast<std::size_t>(line.inner);
  for (std::size_t u = 0; u < numbers.size() / length; ++u)
    for (const std::int64_t bin : bounds::real_bins(n))
      numbers[(u / inner * length + static_cast<std::size_t>(bin)) * inner + u % inner].imag(0);
  return x;
}

}  // namespace

std::optional<Judge> judge_of(const ir::ops::Irfft& op) {
  return Judge([op](const Question& question) -> Judgement {
    const ir::Types in(&question.in_type(0), 1);
    const std::int64_t n = op.points(in);
    const compare::Line line = compare::Line::along(in[0].shape, op.axis, op.axis);
    return {{judge_transform(question, 0, without_ignored(question.in[0], line, n),
                             {.kind = settle::certify::TransformKind::real_inverse,
                              .length = n,
                              .scale = op.scale(in),
                              .line_x = line,
                              .line_y = compare::Line::along(question.out_type(0).shape, op.axis, op.axis),
                              .weights_x = bounds::half_spectrum_weights(n)})}};
  });
}

}  // namespace plumb::parity::judges
