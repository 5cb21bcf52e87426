// Spread of a graph's values by sign runs: every node's rounding is added with random signs, all runs side by side.
#include "parity/bounds/runs/sign_runs.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "ir/raw/philox.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/bounds/runs/functions.hpp"
#include "parity/bounds/runs/numbers.hpp"
#include "parity/bounds/transform_errors.hpp"
#include "parity/compare/scan.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::bounds::runs {
namespace {

constexpr std::uint64_t seed = 0x706c756d62;  // two runs of the program draw the same signs

/// 64 signs of one number of a node: a bit a run.
std::uint64_t signs_of(std::size_t node, std::size_t output, double truth) {
  const auto words = ir::raw::philox_block(seed, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(output),
                                           std::bit_cast<std::uint64_t>(truth == 0 ? 0.0 : truth));
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}
double sign_of(std::uint64_t signs, std::size_t run) { return (signs >> run & 1) != 0 ? 1.0 : -1.0; }

bool multiplies(const ir::Op& op) {
  return op.is<ir::ops::Matmul>() || op.is<ir::ops::Gemm>() || op.is<ir::ops::DotGeneral>() ||
         op.is<ir::ops::Einsum>() || op.is<ir::ops::Conv>() || op.is<ir::ops::ConvTranspose>() ||
         op.is<ir::ops::Attention>();
}

/// How much more than by chance sums whose terms come in few values are off, by a sample of them.
double creep_factor(const ir::Node& node, const ir::Op& wide, const core::Segment& segment, const ir::Feeds& fed) {
  constexpr std::int64_t sampled = 64;
  const ir::TensorType& type = segment.graph.type(segment.outputs[0]);
  const std::int64_t elements = type.shape.elements();
  std::vector<element::terms::Operand> operands;
  for (const ir::Value v : segment.graph.nodes().front().inputs) {
    const ir::Tensor& x = fed.at(segment.graph.inputs()[v]);
    if (x.dtype() != ir::DType::f64) return 1;
    operands.push_back({x.as<double>(), x.shape()});
  }
  if (!ir::is_float(type.dtype) || elements == 0 || node.outputs.size() != 1) return 1;
  if (segment.graph.nodes().size() != 1) return 1;  // ops fused with a sum may change its terms
  const auto walker = element::terms::find_walker(wide, operands, type.shape);
  if (!walker) return 1;
  const std::int64_t count = std::min(sampled, elements);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    element::terms::ElementSum sum;
    (*walker)(i * elements / count, sum);
    const double creep = sums::creep_in_deviations(sum, {});
    squares += std::isfinite(creep) ? creep * creep : 0;
  }
  return std::max(1.0, std::sqrt(squares / static_cast<double>(count)));
}

}  // namespace

bounds::Bounded evaluate_by_error_models(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                         const bounds::Manner& manner) {
  return bounds::evaluate_bounded(reference, segment, fed, manner);
}

/// The truth of a segment, and how far each element may be off: of transforms, whose errors are those of lines, an
/// element's share.
bounds::Bounded SignRuns::bounded_or_spread(const core::Segment& segment, const ir::Feeds& fed,
                                            const bounds::Manner& manner) const {
  if (!bounds::is_transform(segment)) return evaluate_(reference_, segment, fed, manner);
  bounds::Bounded bounded;
  bounded.truth = core::evaluate_widened(reference_, segment, fed);
  bounds::Deviations spread = bounds::deviations_of_transform(segment, bounded.truth.outputs.front());
  const ir::Tensor none({ir::DType::f64, {0}});
  bounded.allowed = {{.rule = compare::Allowed::Rule::within,
                      .limits = std::make_shared<const compare::Limits>(
                          compare::Limits{.probable = std::move(spread.sigma), .certain = none})}};
  bounded.lines = {spread.line};
  return bounded;
}

/// Adds ±σ to the numbers of every run that are not exact there, by the signs of the truth's.
void SignRuns::move(Moving& value, std::size_t node, std::size_t output,
                    const std::function<double(std::size_t)>& sigma, const std::function<bool(double)>& is_exact) {
  const auto truth = numbers(std::as_const(value.truth));
  std::vector<std::span<double>> runs;
  for (ir::Tensor& run : value.runs) runs.push_back(numbers(run));
  for_each_number(truth.size(), [&](std::size_t i) {
    const double step = sigma(i);
    if (!std::isfinite(step) || step == 0) return;
    const std::uint64_t signs = signs_of(node, output, truth[i]);
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (!is_exact(runs[r][i])) runs[r][i] += sign_of(signs, r) * step;
  });
}

/// The rounding of a node in one of its outputs.
struct SignRuns::OwnRounding {
  const compare::Allowed& allowed;
  ir::DType dtype;
  std::optional<ir::DType> kept;  ///< the dtype that the other implementation keeps it in
  double creep;
  bool is_rounded;             ///< a result that is a number of the dtype comes out as it is
  bool as_f32;                 ///< roundings of f64 are made as large as those of f32
  std::optional<double> only;  ///< the only error that there is
};

/// Adds what a node itself may round to its output in every run.
void SignRuns::round(Moving& value, std::size_t node, std::size_t output, const OwnRounding& own) {
  const compare::Limit limit(own.allowed, own.dtype);
  const core::Spacing spacing(core::float_format(own.dtype)), kept(core::float_format(own.kept.value_or(own.dtype)));
  const auto truth = numbers(std::as_const(value.truth));
  const bool is_complex = value.truth.dtype() == ir::DType::c128;
  // Rounding to nearest leaves a number of the dtype as it is, and a sum of zeros is zero. A mask that is compared with
  // 0, or a position of which the floor is taken, would turn over if it were moved.
  const core::FloatFormat coarsest = core::float_format(own.kept.value_or(own.dtype));
  // Every result of f64 arithmetic is a number of f64: those are exact that are short.
  const bool is_f64 = own.dtype == ir::DType::f64 || own.dtype == ir::DType::c128;
  const bool is_short = is_f64 && (own.as_f32 || own.allowed.rule != compare::Allowed::Rule::rounded);
  const double widening = is_f64 && own.as_f32 ? 0x1p29 : 1;
  const core::FloatFormat exact = is_short ? core::FloatFormat{23, -1022, 1023} : coarsest;
  const auto is_exact = [&](double x) { return own.is_rounded && !own.only && exact.has(x); };
  const auto sigma = [&](std::size_t i) {
    if (own.only) return *own.only;
    const std::size_t first = is_complex ? i - i % 2 : i;
    const bool by_modulus = is_complex && !own.allowed.by_part;
    const double size = by_modulus ? std::hypot(truth[first], truth[first + 1]) : std::abs(truth[i]);
    const double stored = own.kept ? kept.at(size) / 2 : 0;
    if (own.allowed.rule == compare::Allowed::Rule::rounded) return widening * spacing.at(size) / 2 + stored;
    if (own.allowed.rule != compare::Allowed::Rule::within) return stored;
    const double off = widening * own.creep * limit.at(size, is_complex ? i / 2 : i) + stored;
    return size == 0 && off < coarsest.smallest_normal() ? 0 : off;
  };
  move(value, node, output, sigma, is_exact);
}

namespace {

/// Whether IEEE 754, or every library there is, gives a result as it is that is a number of the type.
bool rounds_once(const ir::Op& op) {
  using ir::ops::BinaryFunction, ir::ops::UnaryFunction;
  if (op.is<ir::ops::Binary>()) {
    const BinaryFunction function = op.as<ir::ops::Binary>().function;
    return function == BinaryFunction::divide || function == BinaryFunction::power;
  }
  if (!op.is<ir::ops::Unary>()) return false;
  const UnaryFunction function = op.as<ir::ops::Unary>().function;
  return function == UnaryFunction::sqrt || function == UnaryFunction::reciprocal;
}

/// The error that a node is allowed, as what it may have rounded: the bits of a cast to fewer places are those of the
/// number before it, rounded once, and the truth of the graph does not round.
compare::Allowed roundings_of(const ir::Graph& graph, const ir::Node& node, compare::Allowed allowed) {
  if (!node.op.is<ir::ops::Cast>() || allowed.rule != compare::Allowed::Rule::bits) return allowed;
  const ir::DType from = graph.type(node.inputs.front()).dtype, to = graph.type(node.outputs.front()).dtype;
  if (ir::unit_roundoff(to) > ir::unit_roundoff(from)) allowed.rule = compare::Allowed::Rule::rounded;
  return allowed;
}

/// Has runs take the ends of what elements may be of which no run says that they may be another: by chance none came
/// far enough.
void take_ends(const std::pair<ir::Tensor, ir::Tensor>& ends, const ir::Tensor& truth, std::size_t node,
               std::vector<ir::Tensor>& runs) {
  if (runs.size() < 2) return;
  std::vector<bool> moved(static_cast<std::size_t>(truth.elements()), false);
  for (const ir::Tensor& run : runs) {
    const std::vector<bool> differing = differs(run, truth);
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (differing[i]) moved[i] = true;
  }
  const std::vector<bool> low = differs(ends.first, truth), high = differs(ends.second, truth);
  const std::size_t width = ir::info(truth.dtype()).bytes;
  const auto take = [&](std::size_t run, const ir::Tensor& from, std::size_t i) {
    std::ranges::copy(from.bytes().subspan(i * width, width), runs[run].bytes().subspan(i * width, width).begin());
  };
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] || !(low[i] || high[i])) continue;
    const auto words = ir::raw::philox_block(seed, static_cast<std::uint32_t>(node), 512, i);
    const std::size_t first = words[0] % runs.size(), second = (first + 1 + words[1] % (runs.size() - 1)) % runs.size();
    if (low[i]) take(first, ends.first, i);
    if (high[i]) take(second, ends.second, i);
  }
}

}  // namespace

ir::Tensor SignRuns::truth_of(ir::Value v) const {
  if (!graph_.is_source(v)) return values_.at(v).truth;
  return ir::passes::widen(ir::fed(graph_, feeds_, v));
}

/// The outputs of one node in every run, before its own roundings.
std::vector<SignRuns::Moving> SignRuns::run_all(const core::Segment& segment, const ir::Graph& wide, ir::Feeds fed,
                                                bool rounds_operands, std::vector<ir::Tensor> truths,
                                                std::size_t n) const {
  std::vector<Moving> made;
  for (ir::Tensor& truth : truths) made.push_back({std::move(truth)});
  std::vector<std::pair<const std::string*, Moving>> moving;
  for (std::size_t i = 0; i < segment.fed.size(); ++i) {
    const std::string& name = segment.graph.inputs()[i];
    const auto found = values_.find(segment.fed[i]);
    Moving operand{fed.at(name)};
    if (found != values_.end()) operand.runs = found->second.runs;
    if (rounds_operands && is_real_or_complex(operand.truth)) {
      if (operand.runs.empty()) operand.runs.assign(runs_, operand.truth);
      const auto x = numbers(std::as_const(operand.truth));
      // A rounding is spread evenly over what it may be, so that its deviation is a root of three smaller.
      const core::FloatFormat held{-std::ilogb(precision_.operands) - 1, -1022, 1023};
      move(
          operand, n, 256 + i, [&](std::size_t k) { return precision_.operands / std::sqrt(3.0) * std::abs(x[k]); },
          [&](double y) { return held.has(y); });
    }
    if (!operand.runs.empty()) moving.emplace_back(&name, std::move(operand));
  }
  if (moving.empty()) {
    for (Moving& value : made) value.runs.assign(runs_, value.truth);
    return made;
  }
  const auto executable = reference_.compile(wide, {}, {segment.outputs});
  for (unsigned r = 0; r < runs_; ++r) {
    for (auto& [name, operand] : moving) fed.insert_or_assign(*name, std::move(operand.runs[r]));
    ir::Tensors results;
    try {
      results = executable->run(fed);
    } catch (const ir::Error&) {  // a choice on the way made an index that is beyond what it counts
      for (Moving& value : made) value.runs.push_back(value.truth);
      continue;
    }
    for (std::size_t k = 0; k < made.size(); ++k) made[k].runs.push_back(std::move(results.at(segment.outputs[k])));
  }
  return made;
}

void SignRuns::step(std::size_t n, const core::Segment& segment, bounds::Manner manner) {
  const ir::Node& node = graph_.nodes()[n];
  const ir::Graph wide = ir::passes::widen(segment.graph);
  ir::Feeds fed = core::feeds_of(segment, [this](ir::Value v) { return truth_of(v); });
  manner.arithmetic.deviations = 1;
  manner.arithmetic.is_foreign |= precision_.is_another;
  if (precision_.sums > 0) manner.arithmetic.accumulator = precision_.sums;
  bounds::Bounded bounded = bounded_or_spread(segment, fed, manner);
  const double creep = creep_factor(node, wide.nodes().front().op, segment, fed);
  const bool rounds_operands = precision_.operands > 0 && multiplies(node.op);
  std::vector<Choice> choices = this->choices(segment, wide, fed, bounded.truth.outputs);
  std::vector<Moving> made =
      run_all(segment, wide, std::move(fed), rounds_operands, std::move(bounded.truth.outputs), n);
  std::optional<double> only;
  if (precision_.of_functions > 0) only = is_approximated(node.op) ? precision_.of_functions : 0;
  const bool as_f32 = precision_.is_another && precision_.sums == 0;  // other accumulators round in their own way
  const bool is_rounded = precision_.is_another && segment.graph.nodes().size() == 1 && rounds_once(node.op);
  for (std::size_t k = 0; k < made.size(); ++k) {
    lines_.insert_or_assign(node.outputs[k], bounded.lines[k]);
    const compare::Allowed allowed = roundings_of(graph_, node, bounded.allowed[k]);
    const bool is_exact = is_rounded || allowed.rule == compare::Allowed::Rule::rounded;
    const ir::DType dtype = graph_.type(node.outputs[k]).dtype;
    const OwnRounding own{allowed, dtype, precision_.kept, creep, is_exact, as_f32, only};
    if (const auto& ends = choices[k].extremes) take_ends(*ends, made[k].truth, n, made[k].runs);
    if (is_real_or_complex(made[k].truth)) round(made[k], n, k, own);
    made[k].admissible = std::move(choices[k].admissible);
    made[k].beyond = beyond_range(n, made[k].truth, graph_.type(node.outputs[k]).dtype);
    values_.insert_or_assign(node.outputs[k], std::move(made[k]));
  }
}

void SignRuns::follow(ir::Value v, const ir::Tensor& truth, bool is_decision) {
  const auto found = values_.find(v);
  if (found == values_.end()) return;
  Moving& value = found->second;
  if (is_decision) {
    value.admissible.reset();
    for (ir::Tensor& run : value.runs) run = truth;
  } else if (is_real_or_complex(truth)) {
    const auto before = numbers(std::as_const(value.truth)), after = numbers(truth);
    for (ir::Tensor& run : value.runs) {
      const auto moved = numbers(run);
      for (std::size_t i = 0; i < after.size(); ++i)
        if (before[i] != after[i]) moved[i] += after[i] - before[i];
    }
  }
  value.truth = truth;
}

void SignRuns::settle(std::size_t n, std::size_t k, const core::Segment& segment,
                      const std::function<Settled(const ir::Feeds& fed)>& under) {
  const ir::Value v = graph_.nodes()[n].outputs[k];
  Moving& value = values_.at(v);
  ir::Feeds fed = core::feeds_of(segment, [this](ir::Value operand) { return truth_of(operand); });
  Settled settled = under(fed);
  for (std::size_t r = 0; r < value.runs.size(); ++r) {
    for (std::size_t i = 0; i < segment.fed.size(); ++i)
      if (const auto operand = values_.find(segment.fed[i]); operand != values_.end() && !operand->second.runs.empty())
        fed.insert_or_assign(segment.graph.inputs()[i], operand->second.runs[r]);
    value.runs[r] = under(fed).value;
  }
  value.truth = std::move(settled.value);
  value.admissible.reset();
  constexpr double no_creep = 1;
  round(value, n, k, {settled.allowed, graph_.type(v).dtype, precision_.kept, no_creep, false, false, {}});
}

bool SignRuns::is_open(ir::Value v) const {
  const auto found = values_.find(v);
  if (found == values_.end() || !is_real_or_complex(found->second.truth)) return false;
  return found->second.admissible && found->second.admissible->any_open();
}

void SignRuns::keep_only(const std::function<bool(ir::Value)>& is_needed) {
  std::erase_if(values_, [&](const auto& held) { return !is_needed(held.first); });
  std::erase_if(lines_, [&](const auto& held) { return !is_needed(held.first); });
}

void SignRuns::forget(ir::Value v) {
  values_.erase(v);
  lines_.erase(v);
}

std::map<ir::Value, Spread> spread_of(ir::Executor& reference, const ir::Graph& graph, const ir::Feeds& feeds,
                                      std::span<const ir::Value> wanted, const Precision& precision,
                                      const Sampling& sampling, const Evaluate& evaluate, const MannerOf& manner_of) {
  // The values that lead to those wanted, and by node those that it is the last to read or write: a walk that asked of
  // all values that it has which of them go would take a time that grows by the square of their number.
  const std::size_t values = graph.value_count();
  std::vector<bool> is_wanted(values, false), needed(values, false), has_reader(values, false);
  for (const ir::Value v : wanted) is_wanted[v] = needed[v] = true;
  std::vector<std::vector<ir::Value>> last_of(graph.nodes().size());
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const ir::Node& node = graph.nodes()[n];
    if (std::ranges::none_of(node.outputs, [&](ir::Value v) { return needed[v]; })) continue;
    for (const auto* const of_node : {&node.outputs, &node.inputs})
      for (const ir::Value v : *of_node) {
        if (!has_reader[v]) last_of[n].push_back(v);
        needed[v] = has_reader[v] = true;
      }
  }
  SignRuns walk(reference, graph, feeds, precision, sampling, evaluate);
  std::map<ir::Value, Spread> found;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    if (!needed[node.outputs.front()]) continue;
    const core::Segment segment = core::segment_of(graph, n);
    walk.step(n, segment, manner_of ? manner_of(n, segment) : bounds::Manner{});
    for (const ir::Value v : node.outputs)
      if (is_wanted[v]) found.emplace(v, walk.spread(v));
    for (const ir::Value v : last_of[n]) walk.forget(v);
  }
  for (const ir::Value v : wanted)
    if (graph.is_source(v)) {
      ir::Tensor truth = ir::passes::widen(ir::fed(graph, feeds, v));
      const ir::Shape shape = truth.shape();
      found.emplace(v, Spread{std::move(truth), ir::Tensor({ir::DType::f64, shape})});
    }
  return found;
}

}  // namespace plumb::parity::bounds::runs
