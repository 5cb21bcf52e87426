// Transforms of complex lines are held to the 2-norm of their errors, line by line.
#include "ir/ops/fft.hpp"

#include "parity/judges/lines.hpp"

namespace plumb::parity::judges {

std::optional<Judge> judge_of(const ir::ops::Fft& op) {
  return Judge([op](const Question& question) -> Judgement {
    const ir::Types in(&question.in_type(0), 1);
    const std::int64_t n = op.points(in);
    const compare::Line line = compare::Line::along(question.out_type(0).shape, op.axis, op.axis);
    return {{judge_transform(
        question, 0, question.in[0],
        {.kind = op.inverse ? settle::certify::TransformKind::inverse : settle::certify::TransformKind::forward,
         .length = n,
         .scale = op.scale(in),
         .line_x = line,
         .line_y = line,
         .spreads = true})}};
  });
}

}  // namespace plumb::parity::judges
