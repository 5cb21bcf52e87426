// Half spectra are held to the norm that the full ones have.
#include "ir/ops/rfft.hpp"

#include "parity/judges/lines.hpp"

namespace plumb::parity::judges {

std::optional<Judge> judge_of(const ir::ops::Rfft& op) {
  return Judge([op](const Question& question) -> Judgement {
    const ir::Types in(&question.in_type(0), 1);
    const std::int64_t n = op.points(in);
    return {{judge_transform(question, 0, question.in[0],
                             {.length = n,
                              .scale = op.scale(in),
                              .line_x = compare::Line::along(in[0].shape, op.axis, op.axis),
                              .line_y = compare::Line::along(question.out_type(0).shape, op.axis, op.axis),
                              .weights_y = bounds::half_spectrum_weights(n),
                              .spreads = true,
                              .real_at = bounds::real_bins(n)})}};
  });
}

}  // namespace plumb::parity::judges
