// Patterns that the failing elements of an output have in common: terms of their sums, places, values.
#include "parity/checks/patterns/explain.hpp"

#include <cmath>

#include "parity/checks/patterns/failing.hpp"
#include "parity/compare/scan.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::checks::patterns {
namespace {

bool is_within(double truth, double came, const compare::Allowed& allowed, double limit) {
  if (std::isnan(truth) || std::isnan(came)) return std::isnan(truth) && std::isnan(came);
  if (truth == came) return true;
  return allowed.rule == compare::Allowed::Rule::within && std::abs(came - truth) <= limit;
}

/// Patterns of wrong terms, where the segment is one sum.
std::vector<cases::Pattern> terms_of_sum(const settle::Subject& subject, std::size_t k, const Failing& failing) {
  const auto bare = settle::find_bare_sum(subject, k);
  if (!bare) return {};
  const auto levels = subject.sums.size() == 1 ? std::span(subject.sums[0].levels) : std::span<const ir::SumLevel>();
  return checks::patterns::terms_of(failing, bare->walker, levels);
}

}  // namespace

std::vector<cases::Pattern> explain(const settle::Subject& subject, std::size_t k, const ir::Tensor& expected,
                                    const compare::Allowed& allowed, const ir::TensorView& got,
                                    const ir::Tensor* before) {
  if (ir::is_complex(got.dtype())) return {};
  const ir::Tensor truth = ir::convert(expected, got.dtype());
  const ir::Tensor rounded = ir::convert(truth, ir::DType::f64), came = ir::convert(ir::Tensor(got), ir::DType::f64);
  const bool is_float = ir::is_float(got.dtype());
  // Outputs judged by bits are compared with the rounded truth, all others with the truth itself.
  const bool by_distance = is_float && allowed.rule == compare::Allowed::Rule::within;
  Failing failing{.truth = (by_distance ? expected : rounded).as<double>(),
                  .came = came.as<double>(),
                  .shape = got.shape(),
                  .elements = {},
                  .limits = {}};
  ir::Tensor earlier;
  if (before != nullptr && before->shape() == got.shape() && !ir::is_complex(before->dtype())) {
    earlier = ir::convert(by_distance ? *before : ir::convert(*before, got.dtype()), ir::DType::f64);
    failing.before = std::as_const(earlier).as<double>();
  }
  const compare::Limit limit(allowed, is_float ? got.dtype() : ir::DType::f64);
  for (std::size_t i = 0; i < failing.truth.size(); ++i) {
    const double most = by_distance ? limit.at(std::abs(failing.truth[i]), i) : 0;
    if (limit.is_apart(i) || is_within(failing.truth[i], failing.came[i], allowed, most)) continue;
    failing.elements.push_back(i);
    failing.limits.push_back(most);
  }
  if (failing.elements.empty()) return {};
  std::vector<cases::Pattern> found = by_distance ? terms_of_sum(subject, k, failing) : std::vector<cases::Pattern>{};
  for (cases::Pattern& one : places_of(failing)) found.push_back(std::move(one));
  for (cases::Pattern& one : values_of(failing)) found.push_back(std::move(one));
  return found;
}

}  // namespace plumb::parity::checks::patterns
