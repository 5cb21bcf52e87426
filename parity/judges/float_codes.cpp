// Float codes by the intervals of reals that they stand for.
#include "parity/judges/float_codes.hpp"

#include <algorithm>
#include <cmath>

#include "parity/judges/conditioning.hpp"
#include "parity/judges/units.hpp"

namespace plumb::parity::judges {
namespace {

using ir::kernels::SmallFloat;

/// The magnitudes of reals that a code is for, and the distance to the next code's number.
struct Interval {
  double from = -infinite, to = infinite, step = 1;
};

/// The interval of a code that is no NaN or, in e4m3, is the NaN of all that is beyond the largest number.
Interval interval_of(int code, const FloatCodes& codes) {
  const SmallFloat& format = codes.format;
  const int magnitude = code & (format.sign - 1);
  const double last = format.number(format.largest), last_step = last - format.number(format.largest - 1);
  if (magnitude > format.largest) return {last + last_step / 2, infinite, last_step};
  Interval found;
  const double own = format.number(magnitude);
  if (magnitude > 0) found.from = (format.number(magnitude - 1) + own) / 2;
  if (magnitude < format.largest) found.to = (own + format.number(magnitude + 1)) / 2;
  if (magnitude == format.largest && !codes.saturates) found.to = last + last_step / 2;
  found.step = magnitude < format.largest ? format.number(magnitude + 1) - own : last_step;
  return found;
}

bool is_code_alike(int a, int b, const SmallFloat& format) {
  return is_alike(format.number(a), format.number(b));  // zeros of two signs are equal
}

/// How far a real is from those that decide for a code; infinite where none does.
double distance_from(double real, int code, const FloatCodes& codes) {
  const SmallFloat& format = codes.format;
  const bool is_code = code < 2 * format.sign && code == std::clamp(code, 0, 255);
  if (!is_code || std::isnan(real)) return infinite;
  const int magnitude = code & (format.sign - 1);
  const bool is_beyond = magnitude > format.largest;
  if (is_beyond && (codes.saturates || magnitude != format.beyond)) return infinite;
  if (magnitude != 0 && ((code & format.sign) != 0) != std::signbit(real)) return infinite;
  const Interval allowed = interval_of(code, codes);
  const double size = std::abs(real);
  return size < allowed.from ? allowed.from - size : size > allowed.to ? size - allowed.to : 0;
}

}  // namespace

OutputJudgement judge_float_codes(const Question& question, std::size_t k, const FloatCodes& codes) {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  const ir::Tensor got = ir::convert(question.got.at(k), ir::DType::i32);
  ir::Tensor truth({ir::DType::f64, got.shape()});
  DecisionReader reader;
  for (std::size_t i = 0; i < got.as<std::int32_t>().size(); ++i) {
    const double real = codes.real[i], limit = codes.limit[i];
    const int given = got.as<std::int32_t>()[i], own = codes.format.nearest(real, codes.saturates);
    const int code = is_code_alike(given, own, codes.format) && given < 2 * codes.format.sign ? own : given;
    const Interval around = interval_of(own, codes);
    const double away = limit > 0 || code == own ? distance_from(real, code, codes) : infinite;
    const Deciding by{away, limit, around.step};
    const double ratio = reader.read("code", i, code, own, by);
    output.ratio.push_back(ratio);
    const double room = std::min(std::abs(real) - around.from, around.to - std::abs(real));
    const bool is_open = DecisionReader::is_open(by) || (limit > 0 && room <= limit);
    output.standing.push_back(is_open ? Standing::loose : Standing::informative);
    truth.as<double>()[i] = ratio <= 1 ? given : own;
  }
  output.truth = ir::convert(truth, question.truth.outputs.at(k).dtype());
  output.decisions = reader.take();
  silence_zeros(output);
  return output;
}

}  // namespace plumb::parity::judges
