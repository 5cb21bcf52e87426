// A segment's truth and limits: a plan (the widened graph, formulas behind it), its run, and what is read from that.
#include "parity/bounds/bounded.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "ir/ops/cast.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded_matmul.hpp"
#include "parity/bounds/bounded_product.hpp"
#include "parity/bounds/panel_product.hpp"
#include "parity/bounds/real_op.hpp"
#include "parity/bounds/segment_errors.hpp"
#include "parity/bounds/ties.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

/// Units of roundoff at the modulus that a complex result of the op may be off; 0 where no model says so.
double complex_units_of(const ir::Op& op) {
  try {
    return error_model(op).complex_units;
  } catch (const NoModel&) {
    return 0;
  }
}

/// Whether a cast rounds integers that the truth, in f64, has rounded before.
bool rounds_integers(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const ir::Node& node) {
    const ir::DType to = graph.type(node.outputs[0]).dtype;
    return node.op.is<ir::ops::Cast>() && graph.type(node.inputs[0]).dtype == ir::DType::i64 &&
           ir::unit_roundoff(to) > 0 && ir::passes::wider(to) != to;
  });
}

/// The limit of output `k` where it needs no formula; nothing where it needs one.
std::optional<compare::Allowed> plain_limit(const core::Segment& segment, std::size_t k, ir::DType dtype) {
  const bool is_one = segment.graph.nodes().size() == 1;
  if (auto by_class = compare::allowed_by_class(segment.judged, dtype)) {
    if (by_class->rule == compare::Allowed::Rule::bits && rounds_integers(segment.graph))
      by_class->rule = compare::Allowed::Rule::rounded;
    // An op that rounds a real number once rounds a complex one more often: products are sums of two.
    const bool is_rounded = by_class->rule == compare::Allowed::Rule::rounded && ir::is_complex(dtype);
    if (!is_rounded || !is_one || complex_units_of(segment.graph.nodes().front().op) == 0) return by_class;
  }
  if (!is_one) return std::nullopt;
  const Model model = error_model(segment.graph.nodes().front().op);
  if (k > 0 && model.others_are_moved) return compare::Allowed{.rule = compare::Allowed::Rule::bits};
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within};
  if (ir::is_complex(dtype) && model.complex_units > 0)
    allowed.relative = model.complex_units * ir::unit_roundoff(dtype);
  else if (!model.rounding && model.ulps > 0) {
    allowed.ulps = model.ulps;
    allowed.by_part = ir::is_complex(dtype);
  } else
    return std::nullopt;
  return allowed;
}

/// The parts of complex numbers that magnitudes are made of.
enum class Parts { all, finite };

/// The magnitudes of complex numbers; real tensors as they are.
ir::Tensor moduli(const ir::Tensor& x, Parts parts) {
  if (x.dtype() != ir::DType::c128) return x;
  ir::Tensor magnitudes({ir::DType::f64, x.shape()});
  const auto from = x.as<std::complex<double>>();
  const auto to = magnitudes.as<double>();
  const auto part = [parts](double one) { return parts == Parts::finite && !std::isfinite(one) ? 0 : one; };
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::hypot(part(from[i].real()), part(from[i].imag()));
  return magnitudes;
}

/// Which elements of output k share a scale: as the last op says of its first output, else neighbours.
compare::Line line_of(const core::Segment& segment, std::size_t k) {
  const ir::Shape& shape = segment.graph.type(segment.outputs[k]).shape;
  const ir::Op& op = segment.graph.nodes()[*segment.graph.producer(segment.outputs[k])].op;
  const auto axes = k == 0 ? line_axes(op) : std::nullopt;
  const bool has_axes = axes && axes->first < static_cast<std::int64_t>(shape.size());
  return has_axes ? compare::Line::along(shape, axes->first, axes->last) : compare::Line::of_last_axes(shape);
}

/// u(output dtype) / u(f64)
double wider_than_truth(const core::Segment& segment, std::size_t k) {
  return ir::unit_roundoff(segment.graph.type(segment.outputs[k]).dtype) / 0x1p-53;
}

/// The feeds of a complex op, and its truth.
struct Evidence {
  const ir::Feeds& feeds;
  const ir::Tensor& truth;
};

/// Makes limits that are known to first order only hold: the rest is smaller by n u, with n terms below 2^33.
constexpr double all_orders = 1 + 0x1p-20;

/// How far the truth may be off where that needs no formula.
compare::Allowed plain_uncertainty(const core::Segment& segment, std::size_t k, ir::DType dtype) {
  const auto plain = plain_limit(segment, k, ir::passes::wider(dtype)).value_or(compare::Allowed{});
  if (plain.rule == compare::Allowed::Rule::rounded)
    return {.rule = compare::Allowed::Rule::within, .relative = 0x1p-53};
  return plain;
}

/// The limits of a complex op: those of the same op on the magnitudes of its operands and result, whose parts'
/// errors are those of twice as many terms.
compare::Limits limits_of_moduli(ir::Executor& reference, const core::Segment& segment, std::size_t k,
                                 const Evidence& known, const Manner& manner, Parts parts) {
  if (segment.graph.nodes().size() != 1) throw NoModel("complex numbers in a fused kernel");
  core::Segment real{.graph = {}, .fed = segment.fed, .outputs = {}, .judged = segment.judged};
  ir::Feeds fed;
  std::vector<ir::Value> magnitudes, operands;  // by what the segment is fed, of which the node may read one twice
  for (const std::string& name : segment.graph.inputs())
    magnitudes.push_back(
        real.graph.input(name, fed.emplace(name, moduli(known.feeds.at(name), parts)).first->second.type()));
  const auto of_truth = fed.emplace("the truth's magnitude", moduli(known.truth, parts)).first;
  const ir::Value truth = real.graph.input(of_truth->first, of_truth->second.type());
  const ir::Node& node = segment.graph.nodes().front();
  for (const ir::Value operand : node.inputs) operands.push_back(magnitudes.at(operand));
  real.outputs = real.graph.add_all(node.label, real_op(node.op), std::move(operands));
  const ir::Graph wide = ir::passes::widen(real.graph);
  ir::Graph graph = wide;
  SegmentErrors errors(real, wide, real.graph, manner, graph, {{real.outputs.at(k), truth}});
  SegmentErrors rest(real, wide, real.graph, without_chance(manner), graph, {{real.outputs.at(k), truth}});
  const double factor = 2 * wider_than_truth(segment, k);
  const Bound bound = factor * errors.bound_of(real.outputs.at(k));
  const Real chance = bound.probable - factor * rest.bound_of(real.outputs.at(k)).probable;
  const auto results = reference.run(graph, fed, {bound.probable.value, bound.certain.value, chance.value});
  return {results.at(bound.probable.value), results.at(bound.certain.value), {}, results.at(chance.value)};
}

/// Where one part of a number is infinite or NaN and the other is not, the other was made of finite parts alone: it
/// gets the limits that these have (verdict.md V36).
std::shared_ptr<const compare::Limits> complex_limits(ir::Executor& reference, const core::Segment& segment,
                                                      std::size_t k, const Evidence& known, const Manner& manner) {
  compare::Limits limits = limits_of_moduli(reference, segment, k, known, manner, Parts::all);
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(limits.certain.as<double>(), is_finite)) {
    const compare::Limits finite = limits_of_moduli(reference, segment, k, known, manner, Parts::finite);
    const auto take = [](ir::Tensor& to, const ir::Tensor& from) {
      for (std::size_t i = 0; i < to.as<double>().size(); ++i)
        if (!std::isfinite(to.as<double>()[i])) to.as<double>()[i] = from.as<double>()[i];
    };
    take(limits.probable, finite.probable);
    take(limits.certain, finite.certain);
    take(*limits.chance, *finite.chance);
  }
  return std::make_shared<const compare::Limits>(std::move(limits));
}

/// Allows for each rounding below the smallest normal, or number that vanishes there, of one part of a complex element
/// (verdict.md V35): it sums no more terms than its operands have, each of four products and as many additions.
void allow_for_parts(const Evidence& known, compare::Allowed& allowed) {
  std::int64_t most = 1;
  for (const auto& [name, x] : known.feeds) most = std::max(most, x.elements());
  allowed.subnormal *= 8 * static_cast<double>(most);
  allowed.absolute *= 4 * static_cast<double>(most);
}

/// Where in the graph the limits of an output are, and λσ of the probable one, where there is chance in it and that is
/// not all of it but `fixed` of the truth.
struct Formula {
  ir::Value probable, certain, of_truth;
  std::optional<ir::Value> chance = {};
  double fixed = std::numeric_limits<double>::quiet_NaN();
};

/// How many standard deviations the limits of an output allow for.
double lambda_of(const Manner& manner, const ir::TensorType& type) {
  if (manner.arithmetic.deviations > 0) return manner.arithmetic.deviations;
  return compare::FalseAlarms{.n_limits = static_cast<std::uint64_t>(type.shape.elements())}.lambda();
}

/// How one output of a segment gets its limits: plainly, or by a formula in the graph; a complex one that has neither
/// gets them when its truth is known.
struct OutputPlan {
  ir::Value truth = 0;  ///< in the graph
  std::optional<compare::Allowed> plain = {};
  std::optional<Formula> formula = {};
  std::optional<ir::Value> lost = {};  ///< the exact result minus the truth, where that decides ties
};

/// The graph that computes a segment's truth and its limits in one go.
struct BoundedPlan {
  ir::Graph graph;
  std::size_t own_nodes = 0;  ///< the first nodes make the truth, those behind them the limits
  std::vector<OutputPlan> outputs;

  std::vector<ir::Value> wanted() const {
    std::vector<ir::Value> all;
    for (const OutputPlan& one : outputs) all.push_back(one.truth);
    for (const OutputPlan& one : outputs)
      if (one.formula) {
        all.insert(all.end(), {one.formula->probable, one.formula->certain, one.formula->of_truth});
        if (one.formula->chance) all.push_back(*one.formula->chance);
      }
    for (const OutputPlan& one : outputs)
      if (one.lost) all.push_back(*one.lost);
    return all;
  }
};

/// The storage term of a BoundedMatmul's limits, relative to the truth, where all the rest is chance; else nothing.
std::optional<double> fixed_of_product(const ir::Graph& graph, ir::Value truth, const Manner& manner) {
  const auto producer = graph.producer(truth);
  if (!producer || manner.arithmetic.cut() > 0) return std::nullopt;
  const ir::Op& op = graph.nodes()[*producer].op;
  return op.is<BoundedMatmul>() ? std::optional(op.as<BoundedMatmul>().stored) : std::nullopt;
}

/// Has a result that is rounded once say of ties what is due.
void plan_ties(const core::Segment& segment, std::size_t k, const ir::Graph& wide, const BoundedProducts& products,
               BoundedPlan& plan) {
  OutputPlan& one = plan.outputs.at(k);
  if (one.plain->rule != compare::Allowed::Rule::rounded || !decides_ties(segment, k)) return;
  one.plain->decides_ties = true;
  const ir::Node& op = wide.nodes().front();
  const Model model = error_model(op.op);
  if (!model.lost) return;
  ExpressionBuilder builder(plan.graph);
  Node node{.builder = builder, .op = op.op, .in = {}, .out = {}, .output = k, .in_types = {}, .out_types = {}};
  for (const ir::Value v : op.inputs) node.in.push_back({&builder, products.at(v)});
  for (const ir::Value v : op.outputs) node.out.push_back({&builder, products.at(v)});
  one.lost = model.lost(node).value;
}

BoundedPlan plan_bounded(const ir::Executor& reference, const core::Segment& segment, const Manner& manner,
                         const KnownErrors& known) {
  const ir::Graph wide = ir::passes::widen(segment.graph);
  BoundedProducts products{wide, {}};
  if (reference.has_kernel(ir::schema<BoundedMatmul>()))
    products = with_bounded_products(segment.graph, wide, manner.arithmetic);
  BoundedPlan plan{products.graph, products.graph.nodes().size(), {}};
  SegmentErrors of_candidate(segment, wide, segment.graph, manner, plan.graph, products.renumbered);
  SegmentErrors of_truth(segment, wide, wide, {}, plan.graph, products.renumbered);
  SegmentErrors of_rest(segment, wide, segment.graph, without_chance(manner), plan.graph, products.renumbered);
  for (const auto& [v, limits] : known) of_candidate.know(v, limits);
  for (const auto& [v, limits] : known) of_rest.know(v, limits, true);
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    const ir::Value v = segment.outputs[k];
    const ir::DType dtype = segment.graph.type(v).dtype;
    OutputPlan& one = plan.outputs.emplace_back(OutputPlan{products.at(v), plain_limit(segment, k, dtype)});
    if (one.plain) plan_ties(segment, k, wide, products, plan);
    if (one.plain || ir::is_complex(dtype)) continue;
    const Bound bound = of_candidate.bound_of(v);
    one.formula = {bound.probable.value, bound.certain.value, of_truth.bound_of(v).certain.value};
    const bool is_product = segment.graph.nodes().size() == 1 && known.empty();
    if (const auto fixed = is_product ? fixed_of_product(plan.graph, one.truth, manner) : std::nullopt)
      one.formula->fixed = *fixed;
    else if (const Real rest = of_rest.bound_of(v).probable; rest.value != bound.probable.value)
      one.formula->chance = (bound.probable - rest).value;
  }
  return plan;
}

/// The results of a run, each handed out without a copy where nobody asks for it again.
class Results {
 public:
  Results(ir::Tensors results, const std::vector<ir::Value>& asked) : results_(std::move(results)) {
    for (const ir::Value v : asked) ++asked_[v];
  }
  ir::Tensor take(ir::Value v) { return --asked_.at(v) == 0 ? std::move(results_.at(v)) : results_.at(v); }

 private:
  ir::Tensors results_;
  std::map<ir::Value, int> asked_;
};

struct BoundedRun {
  Results results;
  std::uint64_t nanoseconds = 0;  ///< time of the nodes that make the truth
};

BoundedRun run_bounded(ir::Executor& reference, const BoundedPlan& plan, const ir::Feeds& feeds) {
  const auto wanted = plan.wanted();
  const auto executable = compile_by_panels(reference, plan.graph, {wanted});
  BoundedRun run{Results(executable->run(feeds), wanted)};
  const auto reports = executable->nodes();
  for (const ir::NodeReport& report : std::span(reports).first(plan.own_nodes))
    run.nanoseconds += report.nanoseconds.value_or(0);
  return run;
}

/// Squares of large numbers of f64 leave its range, which the truth has as well: nothing is known of chance there, and
/// the certain limit is the limit.
void take_certain_beyond_range(compare::Limits& limits) {
  const auto probable = limits.probable.as<double>(), certain = limits.certain.as<double>();
  for (std::size_t i = 0; i < probable.size(); ++i)
    if (!std::isfinite(probable[i]) && std::isfinite(certain[i])) {
      probable[i] = certain[i];
      if (limits.chance) limits.chance->as<double>()[i] = 0;
    }
}

std::shared_ptr<const compare::Limits> limits_of(Results& results, const Formula& formula, ir::DType computed) {
  compare::Limits limits{results.take(formula.probable), results.take(formula.certain)};
  if (formula.chance) limits.chance = results.take(*formula.chance);
  limits.fixed = formula.fixed;
  if (computed == ir::DType::f64) take_certain_beyond_range(limits);
  return std::make_shared<const compare::Limits>(std::move(limits));
}

/// Certain limits only, as the probable ones.
std::shared_ptr<const compare::Limits> limits_of(ir::Tensor certain) {
  return std::make_shared<const compare::Limits>(
      compare::Limits{std::move(certain), ir::Tensor({ir::DType::f64, {0}})});
}

/// Adds the terms common to all rules: the floor of subnormals, the rounding of what is stored, doubled slack for f64.
void finish(compare::Allowed& allowed, ir::DType dtype, const Manner& manner, bool bits) {
  if (ir::unit_roundoff(dtype) == 0) return;
  const core::FloatFormat computed = core::float_format(core::compute_dtype(dtype));
  // A result may vanish, or two operands that are added or compared; between them is less than twice that.
  if (manner.flushes_subnormals && !bits) allowed.subnormal = 2 * computed.smallest_normal();
  if (allowed.rule != compare::Allowed::Rule::within) return;
  allowed.absolute = computed.ulp(0);  // below the smallest normal nothing is relative
  allowed.storage = dtype == core::compute_dtype(dtype) || ir::is_complex(dtype) ? 0 : 0.5;
  if (core::compute_dtype(dtype) != ir::DType::f64) return;
  // The truth is no more precise than the candidate.
  for (double* const one : {&allowed.ulps, &allowed.relative, &allowed.of_limits}) *one *= 2;
}

/// Whether elements are only moved.
bool is_moved(const core::Segment& segment, const compare::Allowed& allowed) {
  return allowed.rule == compare::Allowed::Rule::bits || segment.judged.error_class == ir::ErrorClass::bits;
}

}  // namespace

std::uint64_t real_numbers_of(const ir::TensorType& type) {
  return static_cast<std::uint64_t>(type.shape.elements()) * (ir::is_complex(type.dtype) ? 2 : 1);
}

std::uint64_t limits_of_chance(const core::Segment& segment, std::size_t k) {
  const ir::TensorType& type = segment.graph.type(segment.outputs.at(k));
  try {
    return plain_limit(segment, k, type.dtype) ? 0 : real_numbers_of(type);
  } catch (const NoModel&) {
    return 0;  // it gets no limit
  }
}

Bounded evaluate_bounded(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& feeds,
                         const Manner& manner, const KnownErrors& known) {
  const BoundedPlan plan = plan_bounded(reference, segment, manner, known);
  BoundedRun run = run_bounded(reference, plan, feeds);
  Bounded bounded{.truth = {{}, run.nanoseconds}, .allowed = {}, .uncertainty = {}, .lines = {}};
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    bounded.lines.push_back(line_of(segment, k));
    const OutputPlan& one = plan.outputs[k];
    const ir::DType dtype = segment.graph.type(segment.outputs[k]).dtype;
    bounded.truth.outputs.push_back(run.results.take(one.truth));
    compare::Allowed allowed = one.plain.value_or(compare::Allowed{.rule = compare::Allowed::Rule::within});
    compare::Allowed uncertainty = plain_uncertainty(segment, k, dtype);
    if (one.lost) {
      round_to_odd(bounded.truth.outputs[k], run.results.take(*one.lost));
      uncertainty.relative = 0x1p-52;
    }
    if (one.formula) {
      allowed.limits = limits_of(run.results, *one.formula, core::compute_dtype(dtype));
      allowed.lambda = lambda_of(manner, segment.graph.type(segment.outputs[k]));
      uncertainty = {.rule = compare::Allowed::Rule::within,
                     .limits = limits_of(run.results.take(one.formula->of_truth)),
                     .of_limits = all_orders};
    } else if (!one.plain) {
      allowed.limits = complex_limits(reference, segment, k, {feeds, bounded.truth.outputs[k]}, manner);
      allowed.lambda = lambda_of(manner, segment.graph.type(segment.outputs[k]));
      uncertainty = {.rule = compare::Allowed::Rule::within,
                     .limits = limits_of(allowed.limits->certain),
                     .of_limits = all_orders / wider_than_truth(segment, k)};
    }
    finish(allowed, dtype, manner, is_moved(segment, allowed));
    if (ir::is_complex(dtype) && !one.plain) allow_for_parts({feeds, bounded.truth.outputs[k]}, allowed);
    bounded.allowed.push_back(std::move(allowed));
    bounded.uncertainty.push_back(std::move(uncertainty));
  }
  return bounded;
}

Bounded bounded_by_class(const core::Segment& segment, core::Evaluated truth, const Manner& manner) {
  Bounded bounded{.truth = std::move(truth), .allowed = {}, .uncertainty = {}, .lines = {}};
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    const ir::DType dtype = segment.graph.type(segment.outputs[k]).dtype;
    compare::Allowed allowed = plain_limit(segment, k, dtype).value();
    finish(allowed, dtype, manner, is_moved(segment, allowed));
    bounded.allowed.push_back(std::move(allowed));
    bounded.uncertainty.push_back(plain_uncertainty(segment, k, dtype));
    bounded.lines.push_back(line_of(segment, k));
  }
  return bounded;
}

}  // namespace plumb::parity::bounds
