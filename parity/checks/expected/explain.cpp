// A failure that a coarser precision explains is one of another kind than a graph that is read wrong: it says which.
#include "parity/checks/expected/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/bounds/runs/functions.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::expected {
namespace {

/// Where half of the errors are smaller than this share of what a precision makes they are not its.
constexpr double least_share = 0.02;
/// The largest absolute error that a library may have in functions whose results are about 1.
constexpr double most_absolute = 0x1p-19;

/// The middle one of some numbers: one element that is wrong does not move it.
double median_of(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// How far elements are off next to how far runs were, over those that runs moved: the root of the mean square of both.
struct Size {
  double squares = 0, variances = 0;

  double share() const { return variances > 0 ? std::sqrt(squares / variances) : 0; }
};

template <class Element>
void for_each_element(const bounds::runs::Spread& spread, const ir::Tensor& given, const Element& element) {
  if (spread.truth.dtype() != ir::DType::f64) return;
  const compare::Limits deviations = bounds::runs::limits_of(spread, 1);
  const ir::Tensor wide = ir::convert(given, ir::DType::f64);
  const auto y = spread.truth.as<double>(), c = wide.as<double>(), sigma = deviations.probable.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i)
    if (std::isfinite(y[i]) && std::isfinite(c[i]) && !spread.is_open(i))
      element(std::abs(c[i] - y[i]), sigma[i], y[i]);
}

/// Whether all that failed agrees with a precision, by errors that are as large as its roundings.
std::optional<cases::Explanation> try_precision(const Asked& asked, const NamedPrecision& tried, const Failed& failed) {
  std::vector<ir::Value> wanted;
  for (const auto& [value, tensor] : failed) wanted.push_back(value);
  const auto spreads = bounds::runs::spread_of(asked.reference, asked.graph, asked.feeds, wanted, tried.precision,
                                               asked.sampling, asked.evaluate);
  std::vector<double> shares;
  double ratio = 0;
  for (const auto& [value, tensor] : failed) {
    const bounds::runs::Spread& spread = spreads.at(value);
    const EndToEnd found = hold_to_runs(spread, *tensor, tried.precision, asked.sampling.lambda);
    if (!found.comparison.agrees()) return std::nullopt;
    ratio = std::max(ratio, found.comparison.ratio());
    for_each_element(spread, *tensor, [&](double error, double sigma, double) {
      if (sigma > 0) shares.push_back(error / sigma);
    });
  }
  // Codes and bools alone say nothing of how large the errors are before them. What agrees to f32 is explained by the
  // f32 constants of a graph, if by nothing else.
  if (shares.empty() || (tried.name != "f32" && median_of(shares) < least_share)) return std::nullopt;
  return cases::Explanation{
      .precision = std::string(tried.name),
      .ratio = ratio,
      .text = fmt::format("it would pass as if {}, by {:.2g} of the limit (--expected-precision {})", tried.meaning,
                          ratio, tried.name)};
}

/// By how much functions would have to be off, absolutely, as a standard deviation, for all that failed to pass; what
/// they seem to be off; and the largest error of an element that is beyond its limit.
struct Absolute {
  double needed = 0, seeming = 0, largest = 0;
};

std::optional<Absolute> absolute_of(const Asked& asked, const bounds::runs::Precision& held, const Failed& failed) {
  constexpr double planted = 0x1p-24;
  std::vector<ir::Value> wanted;
  for (const auto& [value, tensor] : failed) wanted.push_back(value);
  bounds::runs::Precision only;
  only.of_functions = planted;
  const auto run = [&](const bounds::runs::Precision& precision, double lambda) {
    return bounds::runs::spread_of(asked.reference, asked.graph, asked.feeds, wanted, precision,
                                   {asked.sampling.runs, lambda}, asked.evaluate);
  };
  const auto functions = run(only, 0), roundings = run(held, asked.sampling.lambda);
  const double lambda = asked.sampling.lambda;
  Absolute found;
  Size size;
  for (const auto& [value, tensor] : failed) {
    std::vector<double> of_functions;
    for_each_element(functions.at(value), *tensor,
                     [&](double, double sigma, double) { of_functions.push_back(sigma); });
    std::size_t i = 0;
    bool is_explained = true;
    for_each_element(roundings.at(value), *tensor, [&](double error, double sigma, double y) {
      const double share = i < of_functions.size() ? of_functions[i++] / planted : 0;
      const double stored = held.unit * std::abs(y), rest = std::max(0.0, error - stored);
      const double missing = rest * rest / (lambda * lambda) - sigma * sigma;
      if (rest > lambda * sigma && !(share > 0)) is_explained = false;
      if (share > 0 && missing > 0) found.needed = std::max(found.needed, std::sqrt(missing) / share);
      if (share > 0) {
        size.squares += error * error;
        size.variances += share * share;
      }
      if (rest > lambda * sigma) found.largest = std::max(found.largest, error);
    });
    if (!is_explained) return std::nullopt;
  }
  found.seeming = size.share();
  return found;
}

/// Whether only real numbers are in question.
bool are_reals(const Failed& failed, const Asked& asked) {
  return std::ranges::all_of(failed, [&](const auto& one) {
    return ir::is_float(asked.graph.type(one.first).dtype) && ir::is_float(one.second->dtype());
  });
}

std::optional<cases::Explanation> try_functions(const Asked& asked, const NamedPrecision& held, const Failed& failed) {
  const std::string names = bounds::runs::approximated_functions(asked.graph);
  if (names.empty() || held.precision.unit > 0x1p-24 || !are_reals(failed, asked)) return std::nullopt;
  const auto found = absolute_of(asked, held.precision, failed);
  if (!found || found->needed == 0 || found->needed * asked.sampling.lambda > most_absolute) return std::nullopt;
  const bool is_direct = std::ranges::all_of(failed, [&](const auto& one) {
    return bounds::runs::is_approximated(asked.graph.nodes()[*asked.graph.producer(one.first)].op);
  });
  // The largest of errors that are spread evenly is a root of three times their deviation.
  const double size = is_direct ? found->largest : std::sqrt(3.0) * found->seeming;
  return cases::Explanation{
      .absolute = size,
      .text = fmt::format("the error is absolute: it would pass if {} were off by about {:.1e}, whatever their size, "
                          "where the limit of a small result is relative",
                          names, size)};
}

}  // namespace

bool are_numbers_of(const ir::Tensor& tensor, ir::DType narrow) {
  if (!ir::is_float(tensor.dtype())) return false;
  const core::FloatFormat format = core::float_format(narrow);
  const ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  return std::ranges::all_of(wide.as<double>(), [&](double x) { return !std::isfinite(x) || format.has(x); });
}

std::optional<cases::Explanation> explain(const Asked& asked, const NamedPrecision& held, const Failed& failed) {
  std::vector<const NamedPrecision*> coarser;
  const auto all = precisions();
  for (auto one = std::ranges::find(all, held.name, &NamedPrecision::name); one != all.end(); ++one)
    coarser.push_back(&*one);
  // A result that was kept in a type has its numbers: those of bf16 have fewer bits, and f16 has most of them, too.
  for (const ir::DType narrow : {ir::DType::f16, ir::DType::bf16})
    if (std::ranges::all_of(failed, [&](const auto& one) { return are_numbers_of(*one.second, narrow); }))
      std::stable_partition(coarser.begin(), coarser.end(),
                            [&](const NamedPrecision* one) { return one->precision.kept == narrow; });
  for (const NamedPrecision* const tried : coarser) {
    if (tried->name != held.name)
      if (auto found = try_precision(asked, *tried, failed)) return found;
    // Functions that are off absolutely are what is left where everything else is as in f32.
    if (tried->name != "f32") continue;
    if (auto found = try_functions(asked, *tried, failed)) return found;
  }
  return std::nullopt;
}

}  // namespace plumb::parity::checks::expected
