// Holds what another implementation gave to how far roundings on the way may have moved each element.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "parity/checks/expected/explain.hpp"
#include "parity/checks/expected/judge.hpp"
#include "parity/checks/expected/spelled_out.hpp"
#include "parity/compare/false_alarms.hpp"

namespace plumb::parity::checks::expected {

std::span<const NamedPrecision> precisions() {
  // Runs are made with the roundings of f32, which f64 can hold, in graphs of f64 as well; those of an implementation
  // in f64 are 2⁻²⁹ of them.
  static const std::array<NamedPrecision, 7> all = {{
      {"f64", {.unit = 0x1p-53, .of_variance = 0x1p-58, .is_another = true}, "it had been computed in f64"},
      {"f32",
       {.is_another = true},
       "it had been computed in f32, or in f64 from constants that are not the f32 ones of the graph"},
      {"tf32",
       {.operands = 0x1p-11, .is_another = true},
       "operands of products kept 11 of 24 bits, as those of TF32 and f16 do"},
      {"bf16_products",
       {.operands = 0x1p-8, .is_another = true},
       "operands of products kept 8 of 24 bits, as those of bf16 do"},
      {"f16",
       {.unit = 0x1p-11, .operands = 0x1p-11, .kept = ir::DType::f16, .is_another = true},
       "every value was kept in f16"},
      {"f16_sums",
       {.unit = 0x1p-11, .operands = 0x1p-11, .kept = ir::DType::f16, .sums = 0x1p-11, .is_another = true},
       "every value was kept, and every product summed, in f16"},
      {"bf16",
       {.unit = 0x1p-8, .operands = 0x1p-8, .kept = ir::DType::bf16, .is_another = true},
       "every value was kept in bf16"},
  }};
  return all;
}

const NamedPrecision& precision_of(std::string_view name) {
  const auto found = std::ranges::find(precisions(), name, &NamedPrecision::name);
  ir::require(found != precisions().end(), "an implementation cannot have computed in '", name, "'");
  return *found;
}

std::string_view stored_precision(ir::DType dtype) {
  if (!(ir::unit_roundoff(dtype) > 0)) return {};
  return ir::is_complex(dtype) ? (dtype == ir::DType::c64 ? "f32" : "f64") : ir::info(dtype).name;
}

std::string_view coarser_of(std::string_view one, std::string_view other) {
  const auto unit = [](std::string_view name) { return name.empty() ? 0 : precision_of(name).precision.unit; };
  return unit(other) > unit(one) ? other : one;
}

namespace {

using Tensors = std::map<std::string, ir::Tensor, std::less<>>;

/// A precision for each tensor, by name: the coarsest of its own and of those of the tensors that it is computed from,
/// whose roundings it has, too. `own` are in the order of the tensors.
std::vector<std::string_view> with_upstream(const ir::Graph& graph, const Tensors& tensors,
                                            const std::vector<std::string_view>& own) {
  std::vector<std::string_view> of_value(graph.value_count());
  std::map<ir::Value, std::string_view> given;
  for (const auto& [name, tensor] : tensors) given.emplace(*graph.find(name), own[given.size()]);
  for (const ir::Node& node : graph.nodes()) {
    std::string_view coarsest;
    for (const ir::Value input : node.inputs) coarsest = coarser_of(coarsest, of_value[input]);
    for (const ir::Value output : node.outputs) {
      const auto found = given.find(output);
      of_value[output] = found == given.end() ? coarsest : coarser_of(found->second, coarsest);
    }
  }
  std::vector<std::string_view> all;
  for (const auto& [name, tensor] : tensors) all.push_back(of_value[*graph.find(name)]);
  return all;
}

/// How each tensor was computed, as far as they tell: in what it is stored in, but in a coarser type that others are
/// stored in where all of its numbers are of that type, as a cast leaves them; and no finer than what it is computed
/// from. Integers count as the coarsest.
std::vector<const NamedPrecision*> precisions_of(const ir::Graph& graph, const Tensors& tensors) {
  std::set<ir::DType> stored;
  const auto unit = [](ir::DType dtype) { return ir::unit_roundoff(dtype); };
  for (const auto& [value, tensor] : tensors)
    if (ir::is_float(tensor.dtype())) stored.insert(tensor.dtype());
  std::vector<ir::DType> coarser(stored.begin(), stored.end());
  std::ranges::stable_sort(coarser, std::ranges::greater{}, unit);
  std::string_view coarsest;
  std::vector<std::string_view> names;
  for (const auto& named : tensors) {  // clang 14 takes no parts of a binding into a lambda
    const ir::Tensor& tensor = named.second;
    const auto is_of = [&](ir::DType one) { return unit(one) > unit(tensor.dtype()) && are_numbers_of(tensor, one); };
    const auto cast_from = std::ranges::find_if(coarser, is_of);
    names.push_back(cast_from == coarser.end() ? stored_precision(tensor.dtype()) : ir::info(*cast_from).name);
    coarsest = coarser_of(coarsest, names.back());
  }
  std::vector<const NamedPrecision*> all;
  for (const std::string_view name : with_upstream(graph, tensors, names))
    all.push_back(&precision_of(!name.empty() ? name : coarsest.empty() ? "f32" : coarsest));
  return all;
}

/// The fault of a tensor that was given, in words.
std::string difference(const EndToEnd& end, bool is_exact) {
  const compare::Comparison& found = end.comparison;
  std::string text = compare::summary(found);
  if (!is_exact && !found.worst.empty()) {
    const compare::Worst& worst = found.worst.front();
    text = fmt::format(
        "{} of {} elements are further from the truth of the graph than roundings explain; the worst, {:.3g} times as "
        "far, is element {}: {:.9g} was given, the truth is {:.9g}",
        found.n_bad, found.n, worst.ratio, worst.index, worst.got, worst.expected);
  }
  return end.may_be.empty() ? text : text + "; " + end.may_be;
}

/// Whether something that is wrong is infinite or no number, where the truth is a number: behind that, quotients may be
/// zero, and others anything.
bool is_beyond_range(const compare::Comparison& found) {
  const std::uint64_t given = found.n_nan_got + found.n_inf_got, due = found.n_nan_expected + found.n_inf_expected;
  return found.n_nan_differ + found.n_inf_differ > 0 && given > due;
}

void judge_one(cases::ExpectedResult& result, const ir::Tensor& tensor, const bounds::runs::Spread& spread,
               const bounds::runs::Precision& precision, double lambda) {
  const EndToEnd found = hold_to_runs(spread, tensor, precision, lambda);
  result.comparison = found.comparison;
  result.n_flagged = found.n_flagged;
  result.telling = found.telling;
  const bool is_exact = ir::unit_roundoff(tensor.dtype()) == 0;
  const std::string doubt = found.mistrust();
  if (!result.comparison.agrees() && is_beyond_range(result.comparison) && !spread.beyond.empty()) {
    result.verdict = core::Verdict::out_of_range;
    result.why = fmt::format("{} of {} elements are no numbers where the truth is: {}", result.comparison.n_bad,
                             result.comparison.n, spread.beyond);
  } else if (!result.comparison.agrees()) {
    result.verdict = core::Verdict::failed;
    result.why = difference(found, is_exact);
  } else if (!doubt.empty()) {
    result.verdict = core::Verdict::mistrusted;
    result.why = doubt;
  } else
    result.verdict = core::Verdict::passed;
}

/// Adds to what failed at one precision what explains it.
void add_explanation(const Asked& asked, const NamedPrecision& held, const cases::Expectation& expectation,
                     std::span<cases::ExpectedResult*> results) {
  Failed failed;
  for (const cases::ExpectedResult* const one : results)
    if (one->verdict == core::Verdict::failed)
      failed.emplace(*asked.graph.find(one->value), &expectation.tensors.at(one->value));
  if (failed.empty()) return;
  std::optional<cases::Explanation> found;
  try {
    found = explain(asked, held, failed);
  } catch (const ir::Error&) {  // a failure stays one, whether or not something explains it
  }
  for (cases::ExpectedResult* const one : results) {
    if (!found || one->verdict != core::Verdict::failed) continue;
    one->explanation = *found;
    one->why += "; " + found->text;
  }
}

/// A result of f32 arithmetic is f64 in a file that was made of lists, or of `astype(float)`: its numbers tell.
void ask_for_f32(const cases::Expectation& expectation, std::span<cases::ExpectedResult*> results) {
  for (const cases::ExpectedResult* const one : results) {
    const ir::Tensor& tensor = expectation.tensors.at(one->value);
    if (ir::unit_roundoff(tensor.dtype()) > 0 && !are_numbers_of(tensor, ir::DType::f32)) return;
  }
  for (cases::ExpectedResult* const one : results)
    if (one->verdict == core::Verdict::failed) one->why += "; all are f32 numbers: --expected-precision f32?";
}

/// Holds those tensors to the truth that one precision is asked of.
void judge_at(const Asked& asked, const NamedPrecision& held, const cases::Expectation& expectation,
              std::span<cases::ExpectedResult*> results) {
  std::vector<ir::Value> wanted;
  for (const cases::ExpectedResult* const one : results) wanted.push_back(*asked.graph.find(one->value));
  const auto spreads = bounds::runs::spread_of(asked.reference, asked.graph, asked.feeds, wanted, held.precision,
                                               asked.sampling, asked.evaluate);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ir::Tensor& tensor = expectation.tensors.at(results[i]->value);
    if (tensor.shape().elements() == 0)
      results[i]->why = "empty";
    else
      judge_one(*results[i], tensor, spreads.at(wanted[i]), held.precision, asked.sampling.lambda);
  }
  add_explanation(asked, held, expectation, results);
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
                                         const bounds::runs::Evaluate& evaluate) {
  const cases::Expectation& expectation = *subject.expectation;
  const ir::Graph graph = spelled_out(expectation.graph ? *expectation.graph : subject.file->graph);
  const ir::Feeds& feeds = expectation.feeds ? *expectation.feeds : subject.feeds;
  const bool is_told = !options.precision.empty();
  const auto held = is_told ? std::vector(expectation.tensors.size(), &precision_of(options.precision))
                            : precisions_of(graph, expectation.tensors);
  std::vector<cases::ExpectedResult> results;
  for (const auto& [value, tensor] : expectation.tensors)
    results.push_back({.value = value, .runs = options.runs, .precision = std::string(held[results.size()]->name)});
  const double lambda =
      options.lambda > 0 ? options.lambda : compare::FalseAlarms{.n_limits = limits_in(expectation)}.lambda();
  const Asked asked{reference, graph, feeds, {options.runs, lambda}, evaluate};
  try {
    for (const NamedPrecision& one : precisions()) {
      std::vector<cases::ExpectedResult*> at;
      for (cases::ExpectedResult& result : results)
        if (result.precision == one.name) at.push_back(&result);
      if (at.empty()) continue;
      judge_at(asked, one, expectation, at);
      if (!is_told && one.name == "f64") ask_for_f32(expectation, at);
    }
  } catch (const ir::Error& lack) {  // no model of an op, or no truth
    for (cases::ExpectedResult& one : results) {
      one.verdict = core::Verdict::error;
      one.why = lack.what();
    }
  }
  return results;
}

}  // namespace plumb::parity::checks::expected
