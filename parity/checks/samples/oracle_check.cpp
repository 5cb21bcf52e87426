// Holds elements of a truth to the definitions of the ops.
#include "parity/checks/samples/oracle_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/cost.hpp"
#include "parity/checks/samples/limit_check.hpp"
#include "parity/element/oracle.hpp"
#include "parity/element/stored.hpp"
#include "parity/settle/range.hpp"

namespace plumb::parity::checks::samples {
namespace {

// In the time that an oracle takes for one element that it looks at a kernel makes some 450 operations in f64 (15 ns at
// 30 GFLOP/s); all oracles of a node take a quarter of the time that it takes itself (verdict.md V40).
constexpr double flops_a_look = 4 * 450;
constexpr double least_elements = 8;

/// How many elements of operands and of values in between may be looked at.
std::int64_t work_of(const ir::Graph& graph, const OracleEffort& effort) {
  double flops = 0, terms = 1;
  for (const ir::Node& node : graph.nodes()) {
    const ir::Cost cost = ir::cost_of(graph, node);
    flops += cost.flops;
    terms += static_cast<double>(cost.contraction);
  }
  const double least = std::max(effort.least_work, least_elements * 2 * terms);
  return static_cast<std::int64_t>(std::min(std::max(flops / flops_a_look, least), effort.most_work));
}

std::set<std::size_t> sample_of(const ir::Tensor& truth, const compare::Allowed& allowed, ir::DType dtype,
                                std::size_t drawn, Draws& draws) {
  const auto count = static_cast<std::size_t>(truth.elements());
  std::set<std::size_t> sample = {0, count - 1};
  for (const std::size_t i : draws.some(drawn, count)) sample.insert(i);
  if (truth.dtype() == ir::DType::f64)
    for (const std::size_t i : telling_sample(truth.as<double>(), allowed, dtype, drawn, draws)) sample.insert(i);
  return sample;
}

/// Whether a part of an element is what it should be, as far as evaluations in f64 go.
class Agreement {
 public:
  Agreement(const compare::Allowed& uncertainty, bool minds_signs)
      : uncertainty_(uncertainty), minds_signs_(minds_signs) {}

  bool operator()(long double truth, element::Real oracle, std::size_t i) const {
    if (std::isnan(truth) || std::isnan(oracle.value)) return std::isnan(truth) && std::isnan(oracle.value);
    if (truth == oracle.value) return truth != 0 || !minds_signs_ || std::signbit(truth) == std::signbit(oracle.value);
    if (!std::isfinite(truth) || !std::isfinite(oracle.value)) return false;
    const bool is_within = uncertainty_.rule == compare::Allowed::Rule::within && oracle.off > 0;
    const double size = static_cast<double>(std::fabs(truth));
    const long double doubt = is_within ? uncertainty_.at(size, ir::DType::f64, i) : 0;
    // The uncertainties are sums themselves, of at most 2^30 terms, in long double.
    return std::fabs(truth - oracle.value) <= (oracle.off + (doubt > 0 ? doubt : 0)) * (1 + 0x1p-30L);
  }

 private:
  const compare::Allowed& uncertainty_;
  const bool minds_signs_;
};

}  // namespace

cases::OracleSample ask_oracles(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded,
                                Draws draws, const OracleEffort& effort) {
  cases::OracleSample found;
  const ir::Tensor& truth = bounded.truth.outputs.at(k);
  if (truth.elements() == 0) return found;
  const ir::Graph& graph = subject.segment.graph;
  const ir::Value value = subject.segment.outputs.at(k);
  check_limits(subject, k, bounded, draws, found);
  check_program_limits(subject, k, bounded, draws, effort.programs, found);
  element::Oracle oracle(graph, subject.inputs, work_of(graph, effort));
  const bool is_moved = std::ranges::all_of(
      graph.nodes(), [](const ir::Node& node) { return node.op.error_class() == ir::ErrorClass::bits; });
  const Agreement agrees(bounded.uncertainty.at(k), is_moved);
  for (const std::size_t i : sample_of(truth, bounded.allowed.at(k), graph.type(value).dtype, effort.drawn, draws)) {
    if (oracle.is_exhausted()) break;
    const auto index = static_cast<std::int64_t>(i);
    const auto answer = oracle.element(value, index);
    if (!answer) continue;
    const element::Number given = element::number_of(truth, index);
    const bool is_right = agrees(given.re.value, answer->re, i) && agrees(given.im.value, answer->im, i);
    if (!is_right && settle::may_leave_range_of_truth(subject, k, i)) continue;  // whoever evaluates it
    ++found.asked;
    if (is_right) continue;
    if (found.bad++ > 0) continue;
    const bool is_real = agrees(given.im.value, answer->im, i);
    found.element = i;
    found.truth = static_cast<double>(is_real ? given.re.value : given.im.value);
    found.oracle = static_cast<double>(is_real ? answer->re.value : answer->im.value);
  }
  return found;
}

}  // namespace plumb::parity::checks::samples
