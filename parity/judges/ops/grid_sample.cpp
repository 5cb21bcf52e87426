// Nearest neighbours are choices: an element is the tap that some position within its limit chooses, and no number
// between two of them.
#include "ir/ops/grid_sample.hpp"

#include <cmath>

#include "parity/judges/conditioning.hpp"
#include "parity/judges/question.hpp"
#include "parity/judges/units.hpp"
#include "parity/settle/ranges/nearby_grids.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::GridSample;

/// A source position is good to 4u of the extent, as often as the grid's own number is large (verdict.md V70).
double limit_of(double g, double extent, double unit) {
  return std::isfinite(g) ? 4 * unit * extent * (std::abs(g) + 1) : 0;
}

/// Results on the grid and on grids whose coordinates are off by their limits, to either side; margins of the points.
struct Outcomes {
  std::vector<ir::Tensor> seen;       ///< the first is the truth
  std::vector<double> margin, limit;  ///< by point: of the axis that is nearest to a tie
};

Outcomes outcomes_of(const GridSample& op, const Question& question) {
  const ir::Tensor& x = question.in[0];
  const auto grid = question.in[1].as<double>();
  const std::size_t axes = x.shape().size() - 2;
  Outcomes found;
  for (std::size_t p = 0; p < grid.size(); p += axes) {
    double margin = infinite, limit = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      const double g = grid[p + a], extent = static_cast<double>(x.shape()[x.shape().size() - 1 - a]);
      const double place = op.align_corners ? (g + 1) / 2 * (extent - 1) : ((g + 1) * extent - 1) / 2;
      margin = std::min(margin, std::abs(place - std::floor(place) - 0.5));
      limit = std::max(limit, limit_of(g, extent, question.unit(0)));
    }
    found.margin.push_back(margin);
    found.limit.push_back(limit);
  }
  const auto step = [&](std::size_t p) {
    const double extent = static_cast<double>(x.shape()[x.shape().size() - 1 - p % axes]);
    return 2 / extent * limit_of(grid[p], extent, question.unit(0));  // two units of the grid are the whole extent
  };
  settle::for_each_nearby_grid(question.in[1], axes, step, [&](const ir::Tensor& moved) {
    found.seen.push_back(ir::run_op(question.reference, op, {x, moved}).at(0));
  });
  return found;
}

Judgement judge_taps(const Question& question, const Outcomes& outcomes) {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  output.truth = question.truth.outputs[0];
  const ir::Tensor got = ir::convert(question.got[0], ir::DType::f64);
  const auto c = got.as<double>();
  const auto y = output.truth.as<double>();
  const ir::Shape& shape = output.truth.shape();
  const auto channels = static_cast<std::size_t>(shape[1]), images = static_cast<std::size_t>(shape[0]);
  const std::size_t points = channels * images == 0 ? 0 : y.size() / (channels * images);
  DecisionReader reader;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t point = i / (channels * points) * points + i % points;
    bool is_open = false, is_seen = false;
    for (const ir::Tensor& one : outcomes.seen) {
      const double seen = one.as<double>()[i];
      is_open |= !is_alike(seen, y[i]);
      is_seen |= is_alike(seen, c[i]);
    }
    // A mirror decides elsewhere than at a tie: what is seen within the limit is no further than that.
    const double limit = outcomes.limit[point], margin = std::min(outcomes.margin[point], limit);
    const Deciding by{is_seen ? margin : infinite, limit, 1};
    // A NaN is the truth's where it meets its like.
    output.ratio.push_back(is_alike(y[i], c[i]) ? reader.read("tap", i, 0, 0, by)
                                                : reader.read("tap", i, c[i], y[i], by));
    output.standing.push_back(!std::isfinite(y[i]) ? Standing::not_finite
                              : is_open            ? Standing::loose
                                                   : Standing::informative);
    if (output.ratio.back() <= 1) output.truth.as<double>()[i] = c[i];
  }
  output.decisions = reader.take();
  silence_zeros(output);
  return {{std::move(output)}};
}

}  // namespace

std::optional<Judge> judge_of(const GridSample& op) {
  if (op.mode != ir::ops::SampleMode::nearest) return std::nullopt;
  const auto outcomes = std::make_shared<std::optional<Outcomes>>();
  return Judge([op, outcomes](const Question& question) {
    if (!*outcomes) *outcomes = outcomes_of(op, question);
    return judge_taps(question, **outcomes);
  });
}

}  // namespace plumb::parity::judges
