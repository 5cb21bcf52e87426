// Reads codes and places off, and finds how far the reals that decide them are from deciding so.
#include "parity/judges/choices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parity/core/float_format.hpp"
#include "parity/core/powers.hpp"
#include "parity/judges/units.hpp"

namespace plumb::parity::judges {
namespace {

double at(const std::vector<double>& numbers, std::size_t i) { return numbers.size() == 1 ? numbers[0] : numbers[i]; }

/// How far a real is from those that decide for a code; infinite where none does.
double distance_from(double real, double code, double zero, const Codes& codes) {
  if (!(codes.least <= code && code <= codes.most) || code != std::nearbyint(code) || std::isnan(real)) return infinite;
  const double from = code == codes.least ? -infinite : code - zero - 0.5;
  const double to = code == codes.most ? infinite : code - zero + 0.5;
  return real < from ? from - real : real > to ? real - to : 0;
}

/// Whether another code is within reach of a real that decides for this one.
bool is_next_to_another(double real, double own, double zero, double limit, const Codes& codes) {
  const double below = own > codes.least ? real - (own - zero - 0.5) : infinite;
  const double above = own < codes.most ? own - zero + 0.5 - real : infinite;
  return limit > 0 && std::min(below, above) <= limit;
}

/// The largest comes first, and a NaN before it.
bool comes_before(double a, double b) { return std::isnan(a) != std::isnan(b) ? std::isnan(a) : a > b; }

/// How far two values are apart that were chosen for each other. Of equals that are known exactly the first is right.
double distance(double chosen, double own, double limit) {
  if (chosen == own || (std::isnan(chosen) && std::isnan(own))) return limit > 0 ? 0 : infinite;
  return std::abs(chosen - own);
}

}  // namespace

double limit_of_quotient(double x, double scale, ir::DType computed) {
  const double smallest = core::float_format(computed).smallest_normal();
  const bool is_kept = std::abs(scale) >= smallest && 1 / std::abs(scale) >= smallest;
  return core::is_power_of_two(scale) && is_kept ? 0 : 3 * ir::unit_roundoff(computed) * std::abs(x / scale);
}

OutputJudgement judge_codes(const Question& question, std::size_t k, const Codes& codes) {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  const ir::Tensor got = ir::convert(question.got.at(k), ir::DType::f64);
  ir::Tensor truth({ir::DType::f64, got.shape()});
  DecisionReader reader;
  for (std::size_t i = 0; i < got.as<double>().size(); ++i) {
    const double real = at(codes.real, i), zero = at(codes.zero, i), code = got.as<double>()[i];
    const double whole = std::isnan(real) ? zero : std::nearbyint(real) + zero;
    const double own = std::clamp(whole, codes.least, codes.most);
    const double limit = at(codes.limit, i);
    const Deciding by{limit > 0 || code == own ? distance_from(real, code, zero, codes) : infinite, limit, 1};
    const double ratio = reader.read(codes.what, i, code, own, by);
    output.ratio.push_back(ratio);
    const bool is_open = DecisionReader::is_open(by) || is_next_to_another(real, own, zero, limit, codes);
    output.standing.push_back(is_open ? Standing::loose : Standing::informative);
    truth.as<double>()[i] = ratio <= 1 ? code : own;
  }
  output.truth = ir::convert(truth, question.truth.outputs.at(k).dtype());
  output.decisions = reader.take();
  silence_zeros(output);
  return output;
}

OutputJudgement judge_selection(const Question& question, std::size_t k, const Selection& selection) {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  const ir::Tensor got = ir::convert(question.got.at(k), ir::DType::f64);
  ir::Tensor truth({ir::DType::f64, got.shape()});
  DecisionReader reader;
  const std::size_t m = selection.candidates, rows = m == 0 ? 0 : selection.value.size() / m;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const double> value = std::span(selection.value).subspan(row * m, m);
    const std::span<const double> limit = std::span(selection.limit).subspan(row * m, m);
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, comes_before, [&](std::size_t j) { return value[j]; });
    std::vector<bool> taken(m, false);
    for (std::size_t n = 0; n < selection.chosen; ++n) {
      const std::size_t i = row * selection.chosen + n, own = order[n];
      const double place = got.as<double>()[i];
      const bool is_place = place >= 0 && place < static_cast<double>(m) && place == std::floor(place);
      const auto j = is_place ? static_cast<std::size_t>(place) : own;
      Deciding by{.margin = infinite, .limit = limit[j] + limit[own], .step = infinite};
      if (is_place && !taken[j]) by.margin = distance(value[j], value[own], by.limit);
      if (n > 0) by.step = std::min(by.step, value[order[n - 1]] - value[own]);
      if (n + 1 < m) by.step = std::min(by.step, value[own] - value[order[n + 1]]);
      taken[j] = true;
      const double ratio = reader.read(selection.what, i, place, static_cast<double>(own), by);
      output.ratio.push_back(ratio);
      output.standing.push_back(DecisionReader::is_open(by) ? Standing::loose : Standing::informative);
      truth.as<double>()[i] = ratio <= 1 ? place : static_cast<double>(own);
    }
  }
  output.truth = ir::convert(truth, question.truth.outputs.at(k).dtype());
  output.decisions = reader.take();
  silence_zeros(output);
  return output;
}

}  // namespace plumb::parity::judges
