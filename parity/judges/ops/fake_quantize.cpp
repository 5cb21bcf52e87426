// Codes are choices that only show in the reals that they stand for: an element is, bit by bit, the real of a code that
// some quotient within its limit has.
#include "ir/ops/fake_quantize.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/judges/choices.hpp"
#include "parity/judges/units.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::FakeQuantize;

/// A number of another dtype, to nearest even.
double rounded_to(double x, ir::DType dtype) {
  double rounded = x;
  ir::visit_float(dtype, [&]<class T>(T) { rounded = static_cast<double>(static_cast<T>(x)); });
  return rounded;
}

/// One element: its quotient, which codes are admissible, and what each of these looks like.
class Coded {
 public:
  Coded(const FakeQuantize& op, const Question& question, double x, double scale, double zero)
      : op_(op),
        stored_(question.out_type(0).dtype),
        computed_(core::compute_dtype(stored_)),
        flushed_(question.manner.flushes_subnormals ? core::float_format(computed_).smallest_normal() : 0),
        scale_(scale),
        zero_(zero),
        real_(x / scale) {
    if (std::isfinite(real_)) limit_ = limit_of_quotient(x, scale, computed_);
    if (x != 0 && std::abs(x) < flushed_) limit_ = std::max(limit_, std::abs(real_));  // x may be taken for 0
  }

  double own() const { return code_of(real_); }
  /// The real of a code, exact but for the rounding of the code itself.
  double real_of(double code) const { return rounded_to(code - zero_, computed_) * scale_; }
  /// Whether a candidate that chose this code gives c: products are rounded once, of 16 bits perhaps in f32 before.
  bool gives(double code, double c) const {
    const double real = real_of(code);
    if (is_alike(rounded_to(real, stored_), c)) return true;
    if (is_alike(rounded_to(rounded_to(real, computed_), stored_), c)) return true;
    return c == 0 && std::abs(real) < flushed_;
  }
  /// The code whose real c is, of those between two; nothing where none is.
  std::optional<double> code_behind(double c, double least, double most) const {
    const double near = std::nearbyint(c / scale_) + zero_;
    if (!std::isfinite(near)) return std::nullopt;
    for (const double step : {0.0, -1.0, 1.0}) {
      const double code = std::clamp(near + step, least, most);
      if (gives(code, c)) return code;
    }
    return std::nullopt;
  }
  double lowest() const { return code_of(real_ - limit_); }
  double highest() const { return code_of(real_ + limit_); }
  /// The reals that decide for a code.
  Deciding deciding(std::optional<double> code) const {
    Deciding by{.margin = infinite, .limit = limit_, .step = 1};
    if (!code || std::isnan(real_)) return by;
    const double from = *code == least() ? -infinite : *code - zero_ - 0.5;
    const double to = *code == most() ? infinite : *code - zero_ + 0.5;
    by.margin = real_ < from ? from - real_ : real_ > to ? real_ - to : 0;
    return by;
  }
  bool is_open() const { return limit_ > 0 && lowest() != highest(); }
  /// Nothing is known where the scale may be taken for 0.
  bool is_wild() const { return scale_ != 0 && std::abs(scale_) < flushed_; }
  double least() const { return static_cast<double>(op_.q_min); }
  double most() const { return static_cast<double>(op_.q_max); }

 private:
  double code_of(double real) const {
    return std::clamp(std::isnan(real) ? zero_ : std::nearbyint(real) + zero_, least(), most());
  }

  const FakeQuantize& op_;
  const ir::DType stored_, computed_;
  const double flushed_, scale_, zero_, real_;
  double limit_ = 0;
};

/// Reads one element that the candidate gave; its truth is under the candidate's code.
void judge_element(const Coded& coded, std::size_t i, double c, DecisionReader& reader, OutputJudgement& output) {
  const double own = coded.own(), y = coded.real_of(own);
  double& truth = output.truth.as<double>()[i];
  truth = y;
  std::optional<double> code = own;
  if (!coded.gives(own, c)) code = coded.code_behind(c, coded.lowest(), coded.highest());
  const bool is_admissible = code.has_value();
  if (!code) code = coded.code_behind(c, coded.least(), coded.most());
  Deciding by = coded.deciding(code);
  if (!is_admissible && by.margin <= by.limit) by.margin = infinite;
  output.ratio.push_back(code == own ? reader.read("code", i, 0, 0, by) : reader.read("code", i, c, y, by));
  output.standing.push_back(coded.is_wild()     ? Standing::wild
                            : !std::isfinite(y) ? Standing::not_finite
                            : coded.is_open()   ? Standing::loose
                                                : Standing::informative);
  if (output.ratio.back() <= 1 && code) truth = coded.real_of(*code);
}

}  // namespace

std::optional<Judge> judge_of(const FakeQuantize& op) {
  return Judge([op](const Question& question) -> Judgement {
    OutputJudgement output{.kind = cases::UnitKind::choice};
    output.truth = ir::Tensor({ir::DType::f64, question.out_type(0).shape});
    const ir::Tensor got = ir::convert(question.got[0], ir::DType::f64);
    const std::span<const double> x = question.in[0].as<double>(), scales = question.in[1].as<double>();
    const ir::Shape& shape = question.in[0].shape();
    const bool is_by_axis = question.in[1].shape().rank() == 1;
    const auto inner = is_by_axis ? static_cast<std::size_t>(ir::along(shape, op.axis).inner) : 1;
    DecisionReader reader;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t channel = is_by_axis ? i / inner % scales.size() : 0;
      const double zero = op.has_zero_point ? question.in[2].as<std::int32_t>()[channel] : 0;
      judge_element({op, question, x[i], scales[channel], zero}, i, got.as<double>()[i], reader, output);
    }
    output.decisions = reader.take();
    silence_zeros(output);
    return {{std::move(output)}};
  });
}

}  // namespace plumb::parity::judges
