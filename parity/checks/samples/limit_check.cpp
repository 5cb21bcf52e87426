// Holds the limits that a formula gives a whole tensor to the terms of single elements.
#include "parity/checks/samples/limit_check.hpp"

#include <algorithm>
#include <cmath>

#include "ir/cost.hpp"
#include "ir/ops/col2im.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "parity/settle/summing.hpp"
#include "parity/sums/mean_chance.hpp"

namespace plumb::parity::checks::samples {
namespace {

constexpr std::size_t drawn = 16;
constexpr double most_terms = 0x1p16;  // that are looked at for one output
/// Products make their limits in f32 (bounded_matmul.hpp): squares to 2⁻¹⁵, of which σ is the root, magnitudes rounded
/// up by 2⁻¹⁵ at most.
constexpr double precision = 0x1p-14;

/// Ops whose formula is R² of a sum with as many terms for every element. Others' are to first order in the number of
/// terms, or know no more of a sum than the sign of its terms.
bool has_mean_roundings(const ir::Op& op) {
  using F = ir::ops::ReduceFunction;
  if (op.is<ir::ops::Reduce>()) {
    const F function = op.as<ir::ops::Reduce>().function;
    return function == F::sum || function == F::mean || function == F::l1;
  }
  return op.is<ir::ops::Matmul>() || op.is<ir::ops::Gemm>() || op.is<ir::ops::DotGeneral>() ||
         op.is<ir::ops::Einsum>() || op.is<ir::ops::Conv>() || op.is<ir::ops::ConvTranspose>() ||
         op.is<ir::ops::Col2im>() || op.is<ir::ops::Pool>();
}

/// The most terms that a formula may take an element for, padding and what strides leave out included.
std::int64_t most_terms_of(const ir::Graph& graph, const ir::Node& node) {
  const std::int64_t summed = ir::cost_of(graph, node).contraction;
  if (!node.op.is<ir::ops::ConvTranspose>()) return summed;
  const ir::Shape& w = graph.type(node.inputs[1]).shape;
  std::int64_t taps = w[0] / node.op.as<ir::ops::ConvTranspose>().group;
  for (std::size_t axis = 2; axis < w.size(); ++axis) taps *= w[axis];
  return std::max(summed, taps);
}

double chance_at(const compare::Limits& limits, double truth, std::size_t i) {
  return limits.chance ? limits.chance->as<double>()[i]
                       : limits.probable.as<double>()[i] - limits.fixed * std::abs(truth);
}

/// Error of the chance in a limit: it is computed as a difference, whose error may exceed the chance itself where
/// compensated sums of f64 are.
double lost_at(const compare::Limits& limits, std::size_t i) { return 0x1p-51 * limits.probable.as<double>()[i]; }

}  // namespace

void check_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                  cases::OracleSample& found) {
  const auto& limits = bounded.allowed.at(k).limits;
  if (!limits || (!limits->chance && std::isnan(limits->fixed))) return;
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  if (!has_mean_roundings(node.op)) return;
  const auto bare = settle::find_bare_sum(subject, k);
  if (!bare) return;
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>();
  const std::int64_t most = most_terms_of(graph, node);
  // A scale, a divisor and what is added round once each, and so does every operand of an einsum behind the first.
  const auto more = static_cast<std::int64_t>(2 + node.inputs.size());
  double left = most_terms;
  for (const std::size_t i : draws.some(drawn, truth.size())) {
    const element::terms::ElementSum sum = bare->at(i);
    if ((left -= static_cast<double>(sum.terms.size()) + 1) < 0 && found.limits > 0) break;
    const double given = chance_at(*limits, truth[i], i), lost = lost_at(*limits, i);
    const auto chances = sums::mean_chances(sum, bare->arithmetic, bare->lambda, most, more);
    const auto is_given = [&](double chance) {
      return std::abs(chance - given) <= precision * std::max(chance, given) + lost || chance == given;
    };
    if (chances.empty() || !std::isfinite(given) || !std::isfinite(chances.front())) continue;
    ++found.limits;
    if (std::ranges::any_of(chances, is_given)) continue;
    if (found.bad_limits++ == 0) {
      found.limit_element = i;
      found.chance = given;
      found.chance_of_terms = chances.front();
    }
  }
}

}  // namespace plumb::parity::checks::samples
