// Holds what another implementation gave to how far roundings on the way may have moved each element.
#include "parity/expected/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/expected/end_to_end.hpp"

namespace plumb::parity::expected {
namespace {

struct NamedPrecision {
  std::string_view name;
  Precision precision;
};

std::span<const NamedPrecision> precisions() {
  // Runs are made with the roundings of f32, which f64 can hold; those of an implementation in f64 are 2⁻²⁹ of them.
  static const std::array<NamedPrecision, 5> all = {{
      {"f64", {.unit = 0x1p-53, .of_variance = 0x1p-58}},
      {"f32", {}},
      {"tf32", {.operands = 0x1p-11}},
      {"f16", {.unit = 0x1p-11, .operands = 0x1p-11, .kept = ir::DType::f16}},
      {"bf16", {.unit = 0x1p-8, .operands = 0x1p-8, .kept = ir::DType::bf16}},
  }};
  return all;
}

const NamedPrecision& precision_of(std::string_view name) {
  const auto found = std::ranges::find(precisions(), name, &NamedPrecision::name);
  ir::require(found != precisions().end(), "an implementation cannot have computed in '", name, "'");
  return *found;
}

/// The precision that the coarsest of the tensors is stored in.
std::string_view precision_of(const std::map<std::string, ir::Tensor, std::less<>>& tensors) {
  std::string_view name = "f64";
  double unit = 0;
  for (const auto& [value, tensor] : tensors) {
    const ir::DType dtype = tensor.dtype();
    if (!(ir::unit_roundoff(dtype) > unit)) continue;
    unit = ir::unit_roundoff(dtype);
    name = ir::is_complex(dtype) ? (dtype == ir::DType::c64 ? "f32" : "f64") : ir::info(dtype).name;
  }
  return unit > 0 ? name : "f32";
}

/// What is wrong with a tensor that was given, in words.
std::string difference(const compare::Comparison& found) {
  if (found.worst.empty()) return compare::summary(found);
  const compare::Worst& worst = found.worst.front();
  return fmt::format(
      "{} of {} elements are further from the truth of the graph than roundings explain; the worst, {:.3g} times as "
      "far, "
      "is element {}: {:.9g} was given, the truth is {:.9g}",
      found.n_bad, found.n, worst.ratio, worst.index, worst.got, worst.expected);
}

void judge_one(cases::ExpectedResult& result, const ir::Tensor& tensor, const Spread& spread,
               const Precision& precision, double lambda) {
  EndToEnd found = hold_to_runs(spread, tensor, precision, lambda);
  result.comparison = std::move(found.comparison), result.n_flagged = found.n_flagged, result.telling = found.telling;
  const bool is_exact = ir::unit_roundoff(tensor.dtype()) == 0;
  const std::string doubt = found.mistrust();
  if (!result.comparison.agrees())
    result.verdict = core::Verdict::failed,
    result.why = is_exact ? compare::summary(result.comparison) : difference(result.comparison);
  else if (!doubt.empty())
    result.verdict = core::Verdict::mistrusted, result.why = doubt;
  else
    result.verdict = core::Verdict::passed;
}

}  // namespace

std::uint64_t limits_in(const cases::Expectation& expectation) {
  std::uint64_t count = 0;
  for (const auto& [name, tensor] : expectation.tensors)
    if (ir::unit_roundoff(tensor.dtype()) > 0) count += static_cast<std::uint64_t>(tensor.shape().elements());
  return count;
}

std::span<const std::string_view> precision_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const NamedPrecision& one : precisions()) all.push_back(one.name);
    return all;
  }();
  return names;
}

std::vector<cases::ExpectedResult> judge(const cases::Case& subject, ir::Executor& reference, const Options& options,
                                         const Evaluate& evaluate) {
  const cases::Expectation& expectation = *subject.expectation;
  const ir::Graph& graph = expectation.graph ? *expectation.graph : subject.file->graph;
  const ir::Feeds& feeds = expectation.feeds ? *expectation.feeds : subject.feeds;
  const auto& [name, precision] =
      precision_of(options.precision.empty() ? precision_of(expectation.tensors) : options.precision);
  std::vector<cases::ExpectedResult> results;
  std::vector<ir::Value> wanted;
  for (const auto& [value, tensor] : expectation.tensors) {
    wanted.push_back(*graph.find(value));
    results.push_back({.value = value, .runs = options.runs, .precision = std::string(name)});
  }
  const double lambda =
      options.lambda > 0 ? options.lambda : compare::FalseAlarms{.n_limits = limits_in(expectation)}.lambda();
  try {
    const auto spreads = spread_of(reference, graph, feeds, wanted, precision, options.runs, evaluate);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ir::Tensor& tensor = expectation.tensors.at(results[i].value);
      const Spread& spread = spreads.at(wanted[i]);
      if (tensor.shape().elements() == 0)
        results[i].why = "empty";
      else
        judge_one(results[i], tensor, spread, precision, lambda);
    }
  } catch (const ir::Error& lack) {  // no model of an op, or no truth
    for (cases::ExpectedResult& one : results) one.verdict = core::Verdict::error, one.why = lack.what();
  }
  return results;
}

}  // namespace plumb::parity::expected
