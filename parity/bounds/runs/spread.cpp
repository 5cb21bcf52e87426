// The result of the sign runs on one value: how far it was moved, and what else it may be where a choice decides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/ada_norm.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "parity/bounds/runs/numbers.hpp"
#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds::runs {
namespace {

/// The values of integers and bools for which no op has a rule: all between those of the runs, and as far as chance may
/// move sums of moved numbers.
std::optional<Admissible> range_of(const ir::Tensor& truth, std::span<const ir::Tensor> runs,
                                   std::span<const double> variance, double lambda) {
  ir::Tensor low = truth, high = truth;
  for (const ir::Tensor& run : runs) extend(low, high, run);
  std::vector<bool> open = differs(low, high);
  if (std::ranges::find(open, true) == open.end()) return std::nullopt;
  if (ir::is_integer(truth.dtype()))
    ir::visit_integer(truth.dtype(), [&]<class T>(T) {
      using Range = std::numeric_limits<T>;
      const double least = static_cast<double>(Range::lowest()), most = static_cast<double>(Range::max());
      const auto reach = [&](double x, T end) {
        return x <= least ? Range::lowest() : x >= most ? Range::max() : std::isfinite(x) ? static_cast<T>(x) : end;
      };
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (!open[i]) continue;
        const double y = static_cast<double>(truth.as<T>()[i]), off = std::floor(lambda * std::sqrt(variance[i]));
        low.as<T>()[i] = std::min(low.as<T>()[i], reach(y - off, low.as<T>()[i]));
        high.as<T>()[i] = std::max(high.as<T>()[i], reach(y + off, high.as<T>()[i]));
      }
    });
  return between(std::move(low), std::move(high), std::move(open));
}

/// Whether an op squares its first operand inside.
bool squares_operand(const ir::Op& op) {
  using ir::ops::ReduceFunction;
  if (op.is<ir::ops::Reduce>()) {
    const ReduceFunction function = op.as<ir::ops::Reduce>().function;
    return function == ReduceFunction::sum_square || function == ReduceFunction::l2;
  }
  return op.is<ir::ops::RmsNorm>() || op.is<ir::ops::LayerNorm>() || op.is<ir::ops::AdaNorm>() ||
         op.is<ir::ops::GroupNorm>() || op.is<ir::ops::InstanceNorm>() || op.is<ir::ops::MeanVarianceNorm>() ||
         op.is<ir::ops::LpNorm>();
}

/// Adds the squares of what a run changed, over the number of runs, to the variances.
void add_changes(const ir::Tensor& truth, const ir::Tensor& run, double weight, std::span<double> variance) {
  if (!is_real_or_complex(truth)) {
    if (!ir::is_integer(truth.dtype())) return;
    ir::visit_integer(truth.dtype(), [&]<class T>(T) {
      for (std::size_t i = 0; i < variance.size(); ++i) {
        const double change = static_cast<double>(run.as<T>()[i]) - static_cast<double>(truth.as<T>()[i]);
        variance[i] += change * change * weight;
      }
    });
    return;
  }
  const std::size_t parts = truth.dtype() == ir::DType::c128 ? 2 : 1;
  const auto y = numbers(truth), moved = numbers(run);
  for_each_number(variance.size(), [&](std::size_t i) {
    for (std::size_t part = parts * i; part < parts * (i + 1); ++part) {
      const double change =
          moved[part] == y[part] || (std::isnan(moved[part]) && std::isnan(y[part])) ? 0 : moved[part] - y[part];
      variance[i] += change * change * weight;
    }
  });
}

}  // namespace

Spread SignRuns::spread(ir::Value v) const {
  const Moving& value = values_.at(v);
  const ir::Tensor& truth = value.truth;
  Spread found{truth, ir::Tensor({ir::DType::f64, truth.shape()}), lines_.at(v), value.admissible, value.beyond};
  const auto variance = found.variance.as<double>();
  const bool is_whole = !is_real_or_complex(truth);
  const double weight = (is_whole ? 1 : precision_.of_variance) / static_cast<double>(value.runs.size());
  for (const ir::Tensor& run : value.runs) add_changes(truth, run, weight, variance);
  if (is_whole && !found.admissible) found.admissible = range_of(truth, value.runs, variance, lambda_);
  return found;
}

Wavering SignRuns::wavering(ir::Value v, const ir::Tensor& truth) const {
  Wavering found{truth};
  const auto value = values_.find(v);
  if (value == values_.end() || value->second.runs.empty() || truth.dtype() == ir::DType::c128) return found;
  Spread spread = this->spread(v);
  if (spread.admissible && spread.admissible->any_open()) found.admissible = spread.admissible;
  if (truth.dtype() != ir::DType::f64) return found;
  // An element that no run moved is exact: masks of zeros, and positions in whole numbers.
  compare::Limits limits = limits_of(spread, lambda_);
  const auto probable = limits.probable.as<double>(), variance = spread.variance.as<double>();
  bool is_moved = false;
  for (std::size_t i = 0; i < probable.size(); ++i) {
    if (!std::isfinite(variance[i])) probable[i] = std::numeric_limits<double>::infinity();
    if (variance[i] == 0) probable[i] = 0;
    is_moved |= probable[i] > 0 && !(found.admissible && found.admissible->open[i]);
  }
  if (is_moved) found.limit = std::move(limits.probable);
  return found;
}

std::vector<Choice> SignRuns::choices(const core::Segment& segment, const ir::Graph& wide, const ir::Feeds& fed,
                                      std::span<const ir::Tensor> truths) const {
  std::vector<Choice> none(truths.size());
  if (segment.graph.nodes().size() != 1 || runs_ < 2) return none;
  const ir::Node& node = segment.graph.nodes().front();
  const bool may_round = quantizes(node.op) || gates(node.op);  // and decide something by that
  if (!may_choose(node.op) && !may_round) return none;
  const auto is_chosen = [this](ir::Value v) {
    const auto value = values_.find(v);
    return value != values_.end() && (value->second.admissible || !is_real_or_complex(value->second.truth));
  };
  if (!chooses(node.op) && !may_round && std::ranges::none_of(segment.fed, is_chosen)) return none;
  std::vector<Wavering> operands;
  for (const ir::Value v : node.inputs) {
    const std::string& name = segment.graph.inputs()[v];
    operands.push_back(wavering(segment.fed[v], fed.at(name)));
  }
  if (may_round) {
    // A quotient is computed as precisely as the most precise operand.
    double unit = 1;
    for (const ir::Value v : node.inputs)
      if (const ir::DType dtype = segment.graph.type(v).dtype; ir::is_float(dtype))
        unit = std::min(unit, ir::unit_roundoff(core::compute_dtype(dtype)));
    const ir::Op& op = wide.nodes().front().op;
    return gates(op) ? gates_of(op, operands, truths, unit) : codes_of(reference_, op, operands, truths, unit);
  }
  if (std::ranges::none_of(operands, &Wavering::wavers)) return none;
  return choices_of(reference_, wide, operands, truths);
}

std::string SignRuns::beyond_range(std::size_t n, const ir::Tensor& truth, ir::DType dtype) const {
  const ir::Node& node = graph_.nodes()[n];
  for (const ir::Value v : node.inputs)
    if (const auto value = values_.find(v); value != values_.end() && !value->second.beyond.empty())
      return value->second.beyond;
  if (!is_real_or_complex(truth) || !ir::is_float(dtype)) return "";
  const ir::DType narrow = precision_.kept.value_or(dtype);
  const double most = core::float_format(narrow).overflow();
  const auto largest = [](std::span<const double> x) {
    double size = 0;
    for (const double one : x)
      if (std::isfinite(one)) size = std::max(size, std::abs(one));
    return size;
  };
  const auto say = [&](std::string_view what, double size) {
    return fmt::format("{}'{}' reach {:.3g} on the way, beyond the {:.6g} of {}", what, node.label, size,
                       core::float_format(narrow).largest(), ir::info(narrow).name);
  };
  if (const double size = largest(numbers(truth)); size >= most) return say("numbers of ", size);
  if (!squares_operand(node.op) || graph_.is_source(node.inputs[0])) return "";
  const auto operand = values_.find(node.inputs[0]);
  if (operand == values_.end() || operand->second.truth.dtype() != ir::DType::f64) return "";
  const double size = largest(operand->second.truth.as<double>());
  return size * size >= most ? say("squares in ", size * size) : "";
}

void add_choices(const Spread& spread, compare::Limits& limits) {
  if (!spread.admissible || spread.truth.dtype() != ir::DType::f64) return;
  const auto [low, high] = spread.admissible->ends();
  const auto y = spread.truth.as<double>(), least = low.as<double>(), most = high.as<double>();
  const auto probable = limits.probable.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i)
    if (spread.is_open(i)) probable[i] += std::max(y[i] - least[i], most[i] - y[i]);
}

compare::Limits limits_of(const Spread& spread, double lambda) {
  compare::Limits limits{ir::Tensor(spread.variance.type()), ir::Tensor({ir::DType::f64, {0}})};
  limits.fixed = 0;
  const auto v = spread.variance.as<double>();
  const auto probable = limits.probable.as<double>();
  const auto length = static_cast<std::size_t>(spread.line.length), inner = static_cast<std::size_t>(spread.line.inner);
  std::vector<bool> apart(v.size(), false);
  bool any_apart = false;
  for (std::size_t number = 0; length > 0 && number < v.size() / length; ++number) {
    const std::size_t first = number / inner * length * inner + number % inner;
    double sum = 0, finite = 0;
    for (std::size_t i = first; i < first + length * inner; i += inner)
      if (std::isfinite(v[i]) && !spread.is_open(i)) {
        sum += v[i];
        finite += 1;
      }
    const double mean = finite > 0 ? sum / finite : 0;
    for (std::size_t i = first; i < first + length * inner; i += inner) {
      const double own = spread.is_open(i) ? 0 : v[i];
      probable[i] = std::isfinite(own) ? lambda * std::sqrt(own + mean) : 0;
      if (!std::isfinite(own)) apart[i] = any_apart = true;
    }
  }
  if (any_apart) limits.apart = std::move(apart);
  return limits;
}

}  // namespace plumb::parity::bounds::runs
