// Bins are choices: each has to be one whose mean is within its limit of that in its place, and peaks are the means of
// the bins that the candidate names.
#include "ir/ops/welch_peaks.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/reduce.hpp"
#include "parity/core/float_format.hpp"
#include "parity/judges/choices.hpp"
#include "parity/judges/limits.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::WelchPeaks;

/// The means of all bins, [.., b]. How often a bin counts is a power of two, which rounds nothing more.
Limited means_of(const WelchPeaks& op, const Question& question) {
  const ir::TensorType& power = question.in_type(0);
  judges::definitions::Definition definition = judges::definitions::begin(std::span(&power, 1));
  definition.graph.returns(definition.graph.add("means", ir::ops::Reduce{ir::ops::ReduceFunction::mean, {-2}, false},
                                                {definition.operands[0]}));
  Limited means = std::move(limits_of(question, definition, {}, question.lambda).at(0));
  const auto bins = static_cast<std::size_t>(power.shape.back());
  const auto count = [&](ir::Tensor& x) {
    const auto numbers = x.as<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= op.times(static_cast<std::int64_t>(i % bins));
  };
  count(means.truth);
  count(means.probable);
  count(means.certain);
  if (means.chance) count(*means.chance);
  return means;
}

std::vector<double> numbers(const ir::Tensor& x) {
  const auto values = x.as<double>();
  return {values.begin(), values.end()};
}

/// Truth and limits of the peaks at the bins that the candidate names; for a bin out of range, at the truth's own bin.
Limited peaks_of(const WelchPeaks& op, const Question& question, const Limited& means) {
  Limited peaks(question.truth.outputs[1].shape());
  peaks.chance.emplace(peaks.truth.type());
  const ir::Tensor named = ir::convert(question.got[0], ir::DType::f64);
  const ir::Tensor own = ir::convert(question.truth.outputs[0], ir::DType::f64);
  const auto bins = static_cast<double>(means.truth.shape().back());
  const auto count = static_cast<std::size_t>(bins), chosen = static_cast<std::size_t>(op.k);
  for (std::size_t i = 0; i < named.as<double>().size(); ++i) {
    const double bin = named.as<double>()[i];
    const double taken = bin >= 0 && bin < bins ? bin : own.as<double>()[i];
    const std::size_t at = i / chosen * count + static_cast<std::size_t>(taken);
    peaks.truth.as<double>()[i] = means.truth.as<double>()[at];
    peaks.probable.as<double>()[i] = means.probable.as<double>()[at];
    peaks.certain.as<double>()[i] = means.certain.as<double>()[at];
    peaks.chance->as<double>()[i] = means.chance ? means.chance->as<double>()[at] : 0;
  }
  return peaks;
}

/// Whether the frames of a bin leave the range, as far as peaks tell: some order does where one is not finite, and in
/// f64, whose truth has no more range, the sizes of finite frames do whatever came.
bool leaves_range(const element::terms::ElementSum& sum, ir::DType computed, bool all_peaks_are_finite) {
  const sums::RangeSoFar range = sums::range_of(sum);
  if (!all_peaks_are_finite && range.overflows_in_some_order(computed)) return true;
  return computed == ir::DType::f64 && range.has_sizes_beyond(computed) && sums::has_finite_terms(sum);
}

/// By line of bins, whether the frames of some bin add up beyond the range (verdict.md V34).
std::vector<bool> lines_out_of_range(const WelchPeaks& op, const Question& question) {
  const ir::Shape& power = question.in_type(0).shape;
  const auto bins = static_cast<std::size_t>(power.back()), frames = static_cast<std::size_t>(power[power.size() - 2]);
  const ir::DType computed = core::compute_dtype(question.in_type(0).dtype);
  const ir::Tensor got = ir::convert(question.got[1], ir::DType::f64);
  const std::span<const double> peaks = got.as<double>(), x = question.in[0].as<double>();
  const auto chosen = static_cast<std::size_t>(op.k);
  std::vector<bool> found(peaks.size() / std::max<std::size_t>(chosen, 1), false);
  for (std::size_t line = 0; line < found.size(); ++line) {
    const auto own = peaks.subspan(line * chosen, chosen);
    const bool all_are_finite = std::ranges::all_of(own, [](double peak) { return std::isfinite(peak); });
    if (all_are_finite && computed != ir::DType::f64) continue;
    for (std::size_t bin = 0; bin < bins && !found[line]; ++bin) {
      element::terms::ElementSum sum;
      for (std::size_t f = 0; f < frames; ++f) sum.add(x[(line * frames + f) * bins + bin]);
      found[line] = leaves_range(sum, computed, all_are_finite);
    }
  }
  return found;
}

/// Which bins such a line has the candidate cannot know, nor what is in them.
void set_lines_apart(const std::vector<bool>& lines, std::size_t chosen, Judgement& judgement) {
  if (std::ranges::count(lines, true) == 0) return;
  for (OutputJudgement& output : judgement.outputs) {
    for (std::size_t u = 0; u < output.standing.size(); ++u)
      if (lines[output.element(u, 0) / chosen]) output.standing[u] = Standing::wild;
    if (output.allowed.limits == nullptr) continue;
    auto limits = std::make_shared<compare::Limits>(*output.allowed.limits);
    limits->apart.resize(static_cast<std::size_t>(output.truth.elements()), false);
    for (std::size_t i = 0; i < limits->apart.size(); ++i)
      if (lines[i / chosen]) limits->apart[i] = true;
    output.allowed.limits = std::move(limits);
  }
}

}  // namespace

std::optional<Judge> judge_of(const WelchPeaks& op) {
  return Judge([op](const Question& question) -> Judgement {
    const Limited means = means_of(op, question);
    const Selection bins{.candidates = static_cast<std::size_t>(means.truth.shape().back()),
                         .chosen = static_cast<std::size_t>(op.k),
                         .value = numbers(means.truth),
                         .limit = numbers(means.probable),
                         .what = "bin"};
    Judgement judgement = {
        {judge_selection(question, 0, bins), elements_within(question, 1, peaks_of(op, question, means))}};
    set_lines_apart(lines_out_of_range(op, question), static_cast<std::size_t>(op.k), judgement);
    return judgement;
  });
}

}  // namespace plumb::parity::judges
