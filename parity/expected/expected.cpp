// Holds what another implementation gave to how far roundings on the way may have moved each element.
#include "parity/expected/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/core/float_format.hpp"
#include "parity/expected/sign_runs.hpp"

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

/// The limit of each element: λ √(v + the mean v of its line), what is flagged set apart.
compare::Allowed limits_of(const Spread& spread, const Precision& precision, ir::DType stored, double lambda) {
  const auto variance = spread.variance.as<double>();
  compare::Limits limits{ir::Tensor({ir::DType::f64, spread.truth.shape()}), ir::Tensor({ir::DType::f64, {0}})};
  const auto probable = limits.probable.as<double>();
  const auto length = static_cast<std::size_t>(spread.line.length), inner = static_cast<std::size_t>(spread.line.inner);
  std::vector<bool> apart(variance.size(), false);
  bool any_apart = false;
  for (std::size_t number = 0; length > 0 && number < variance.size() / length; ++number) {
    const std::size_t first = number / inner * length * inner + number % inner;
    double sum = 0, finite = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (const double v = variance[first + i * inner]; std::isfinite(v)) sum += v, finite += 1;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = first + i * inner;
      probable[at] = finite > 0 && std::isfinite(variance[at]) ? lambda * std::sqrt(variance[at] + sum / finite) : 0;
      if (!std::isfinite(variance[at])) apart[at] = any_apart = true;
    }
  }
  if (any_apart) limits.apart = std::move(apart);
  limits.fixed = 0;
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within, .relative = precision.unit, .storage = 0.5};
  allowed.absolute = core::float_format(stored).ulp(0);
  allowed.lambda = lambda;
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return allowed;
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

void judge_float(cases::ExpectedResult& result, const ir::Tensor& tensor, const Spread& spread,
                 const Precision& precision, double lambda) {
  const compare::Allowed allowed = limits_of(spread, precision, tensor.dtype(), lambda);
  result.comparison = compare::compare(spread.truth, tensor, allowed);
  result.n_flagged = result.comparison.n_apart;
  result.telling = compare::telling_of(spread.truth, tensor.dtype(), allowed, spread.line, result.comparison);
  const std::string doubt = result.telling.mistrust();
  if (!result.comparison.agrees())
    result.verdict = core::Verdict::failed, result.why = difference(result.comparison);
  else if (!doubt.empty())
    result.verdict = core::Verdict::mistrusted, result.why = doubt;
  else
    result.verdict = core::Verdict::passed;
}

/// Elements of integers and bools that a rounding on the way may change are not judged; the others are as they are.
void judge_exact(cases::ExpectedResult& result, const ir::Tensor& tensor, const Spread& spread) {
  ir::Tensor held = tensor;
  const std::size_t bytes = ir::info(tensor.dtype()).bytes;
  const auto from = spread.truth.bytes();
  const auto to = held.bytes();
  for (std::size_t i = 0; i < spread.flagged.size(); ++i) {
    if (!spread.flagged[i]) continue;
    ++result.n_flagged;
    std::ranges::copy(from.subspan(i * bytes, bytes), to.subspan(i * bytes, bytes).begin());
  }
  result.comparison = compare::compare(spread.truth, held, {.rule = compare::Allowed::Rule::exact});
  if (!result.comparison.agrees())
    result.verdict = core::Verdict::failed, result.why = compare::summary(result.comparison);
  else if (result.n_flagged == result.comparison.n && result.n_flagged > 0)
    result.verdict = core::Verdict::mistrusted, result.why = "a rounding on the way may change every element";
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

std::vector<cases::ExpectedResult> judge(const cases::Case& subject, ir::Executor& reference, const Options& options) {
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
    const auto spreads = spread_of(reference, graph, feeds, wanted, precision, options.runs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ir::Tensor& tensor = expectation.tensors.at(results[i].value);
      const Spread& spread = spreads.at(wanted[i]);
      if (tensor.shape().elements() == 0)
        results[i].why = "empty";
      else if (ir::unit_roundoff(tensor.dtype()) > 0)
        judge_float(results[i], tensor, spread, precision, lambda);
      else
        judge_exact(results[i], tensor, spread);
    }
  } catch (const ir::Error& lack) {  // no model of an op, or no truth
    for (cases::ExpectedResult& one : results) one.verdict = core::Verdict::error, one.why = lack.what();
  }
  return results;
}

}  // namespace plumb::parity::expected
