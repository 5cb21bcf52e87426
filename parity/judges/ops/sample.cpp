// Tokens are choices: one is right if weights within the roundings of the division and of exp draw it, from a set of
// tokens that these admit (ops.md B.4, verdict.md V70).
#include "ir/ops/sample.hpp"

#include <cmath>

#include "ir/raw/philox.hpp"
#include "parity/core/float_format.hpp"
#include "parity/judges/draws.hpp"
#include "parity/judges/question.hpp"
#include "parity/judges/units.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::Sample;

Drawing drawing_of(const Sample& op, const Question& question) {
  const ir::TensorType& logits = question.in_type(0);
  const ir::DType computed = core::compute_dtype(logits.dtype);
  const core::FloatFormat format = core::float_format(computed);
  const std::int64_t tokens = logits.shape.back();
  return {.temperature = Sample::real(logits.dtype, op.temperature),
          .top_k = static_cast<std::size_t>(op.top_k < tokens ? op.top_k : 0),
          .least = op.least_weight(logits.dtype),
          .share = op.kept_share(logits.dtype),
          .unit = ir::unit_roundoff(computed) * (computed == ir::DType::f64 ? 2 : 1),
          .smallest = format.smallest_normal(),
          .floor = question.manner.flushes_subnormals ? format.smallest_normal() : format.ulp(0),
          .overflow = format.overflow()};
}

/// Which tokens the rows of a question have, and by which random bits.
class Rows {
 public:
  Rows(const Sample& op, const Question& question)
      : op_(op), question_(question), how_(drawing_of(op, question)), tokens_(question.in[0].shape().back()) {}

  Draw explain(std::size_t row, double token) const {
    const bool is_token = token >= 0 && token < static_cast<double>(tokens_) && token == std::floor(token);
    // The largest logit is exact, as nothing is divided.
    if (!is_token || how_.temperature == 0) return {.by = {.margin = infinite, .limit = 0, .step = infinite}};
    const std::uint32_t offset = op_.has_offset ? question_.in[1].as<std::uint32_t>()[0] : 0;
    const auto words = ir::raw::philox_block(static_cast<std::uint64_t>(op_.seed),
                                             static_cast<std::uint32_t>(op_.stream), offset, row);
    const auto count = static_cast<std::size_t>(tokens_);
    return explain_draw(question_.in[0].as<double>().subspan(row * count, count), how_,
                        std::uint64_t{words[0]} << 32 | words[1], static_cast<std::size_t>(token));
  }

 private:
  const Sample& op_;
  const Question& question_;
  const Drawing how_;
  const std::int64_t tokens_;
};

Standing standing_of(const Draw& draw) {
  if (draw.is_wild) return Standing::wild;
  if (draw.is_flagged) return Standing::flagged;
  return draw.is_open ? Standing::loose : Standing::informative;
}

}  // namespace

std::optional<Judge> judge_of(const Sample& op) {
  return Judge([op](const Question& question) -> Judgement {
    const ir::Tensor got = ir::convert(question.got[0], ir::DType::f64);
    const ir::Tensor own = ir::convert(question.truth.outputs[0], ir::DType::f64);
    const Rows rows(op, question);
    OutputJudgement output{.kind = cases::UnitKind::choice};
    ir::Tensor truth({ir::DType::f64, got.shape()});
    DecisionReader reader;
    for (std::size_t row = 0; row < got.as<double>().size(); ++row) {
      const double token = got.as<double>()[row], right = own.as<double>()[row];
      const Draw draw = rows.explain(row, token);
      // A draw that nothing is known of explains no token: the truth keeps its own, and no choice is counted.
      const bool is_known = !draw.is_flagged && !draw.is_wild;
      output.ratio.push_back(is_known ? reader.read("token", row, token, right, draw.by) : 0);
      output.standing.push_back(standing_of(draw));
      truth.as<double>()[row] = is_known && output.ratio.back() <= 1 ? token : right;
    }
    output.truth = ir::convert(truth, question.truth.outputs[0].dtype());
    output.decisions = reader.take();
    silence_zeros(output);
    return {{std::move(output)}};
  });
}

}  // namespace plumb::parity::judges
