#include "parity/bounds/bounded.hpp"

#include <complex>
#include <optional>
#include <set>

#include "ir/bounded_matmul.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded_product.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

using bounds::Bound;
using bounds::Real;

bool is_real(ir::DType dtype) { return ir::unit_roundoff(dtype) > 0 && !ir::is_complex(dtype); }
bool is_double(ir::DType dtype) { return core::compute_dtype(dtype) == ir::DType::f64; }

/// The error models of an evaluation of a segment, added to the widened segment.
class Draft {
 public:
  /// `wide` is the segment's graph, widened, and `types` has the dtypes that the evaluation computes in: the
  /// segment's, or, of the truth, the widened ones. `graph` is written to; `known`: its values in place of those of the
  /// segment.
  Draft(const core::Segment& segment, const ir::Graph& wide, const ir::Graph& types,
        const bounds::Arithmetic& arithmetic, ir::Graph& graph, std::map<ir::Value, ir::Value> known)
      : segment_(segment),
        wide_(wide),
        types_(types),
        arithmetic_(arithmetic),
        known_(std::move(known)),
        sketch_(graph) {}

  /// The limits of a value, added to the graph.
  Bound bound_of(ir::Value value);

 private:
  void bound_node(const ir::Node& node);
  Bound output_bound(const bounds::Node& node, const bounds::Model& model,
                     const std::vector<std::optional<Bound>>& errors);
  ir::TensorTypes candidate_types(const std::vector<ir::Value>& values) const;

  const core::Segment& segment_;
  const ir::Graph& wide_;
  const ir::Graph& types_;
  const bounds::Arithmetic arithmetic_;
  const std::map<ir::Value, ir::Value> known_;
  bounds::Sketch sketch_;
  std::map<ir::Value, Bound> errors_;  ///< of values that are not exact
  std::set<ir::Value> done_;
};

ir::TensorTypes Draft::candidate_types(const std::vector<ir::Value>& values) const {
  ir::TensorTypes types;
  for (const ir::Value v : values) types.push_back(types_.type(v));
  return types;
}

Bound Draft::output_bound(const bounds::Node& node, const bounds::Model& model,
                          const std::vector<std::optional<Bound>>& errors) {
  Bound bound = model.rounding ? model.rounding(node) : bounds::both(sketch_.constant(0));
  const bool rounds = node.op.error_class() == ir::ErrorClass::rounded;
  const double units = 2 * model.ulps + (rounds ? 1 : 0);
  if (units > 0) bound = bound + bounds::both(units * node.unit() * abs(node.y()));
  if (std::ranges::any_of(errors, [](const auto& error) { return error.has_value(); })) {
    if (!model.carried)
      throw ir::Unsupported(ir::cat("no error model says what '", node.op.name(), "' makes of errors of its operands"));
    bounds::Errors probable, certain;
    for (const auto& error : errors) {
      probable.push_back(error ? std::optional(error->probable) : std::nullopt);
      certain.push_back(error ? std::optional(error->certain) : std::nullopt);
    }
    bound = bound + Bound{model.carried(node, probable), model.carried(node, certain)};
  }
  const ir::Shape& shape = node.y().shape();
  const Real probable = filled(bound.probable, shape);
  return {probable, bound.certain.value == bound.probable.value ? probable : filled(bound.certain, shape)};
}

void Draft::bound_node(const ir::Node& original) {
  const auto at = [this](const std::vector<ir::Value>& values) {
    std::vector<Real> reals;
    for (const ir::Value v : values) reals.push_back({&sketch_, known_.contains(v) ? known_.at(v) : v});
    return reals;
  };
  const ir::Op op = wide_.nodes()[*wide_.producer(original.outputs.front())].op;
  bounds::Node node{sketch_,
                    op,
                    at(original.inputs),
                    at(original.outputs),
                    0,
                    candidate_types(original.inputs),
                    candidate_types(original.outputs),
                    arithmetic_};
  std::vector<std::optional<Bound>> errors;
  for (const ir::Value v : original.inputs) {
    const auto found = errors_.find(v);
    errors.push_back(found != errors_.end() ? std::optional(found->second) : std::nullopt);
  }
  const bounds::Model model = bounds::error_model(op);
  for (node.output = 0; node.output < original.outputs.size(); ++node.output)
    if (is_real(node.type().dtype))
      errors_.insert_or_assign(original.outputs[node.output], output_bound(node, model, errors));
}

Bound Draft::bound_of(ir::Value value) {
  for (const ir::Node& node : segment_.graph.nodes())
    if (done_.insert(node.outputs.front()).second) bound_node(node);
  return errors_.at(value);
}

/// What can be said without a formula; nothing where one is needed.
std::optional<compare::Allowed> plain_limit(const core::Segment& segment, ir::DType dtype) {
  if (const auto by_class = compare::allowed_by_class(segment.judged, dtype)) return by_class;
  if (segment.graph.nodes().size() > 1) return std::nullopt;
  const bounds::Model model = bounds::error_model(segment.graph.nodes().front().op);
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within};
  if (ir::is_complex(dtype) && model.complex_units > 0)
    allowed.relative = model.complex_units * ir::unit_roundoff(dtype);
  else if (!ir::is_complex(dtype) && !model.rounding && model.ulps > 0)
    allowed.ulps = model.ulps;
  else
    return std::nullopt;
  return allowed;
}

/// The sizes of complex numbers, of real ones their values.
ir::Tensor moduli(const ir::Tensor& x) {
  if (x.dtype() != ir::DType::c128) return x;
  ir::Tensor sizes({ir::DType::f64, x.shape()});
  const auto from = x.as<std::complex<double>>();
  const auto to = sizes.as<double>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::abs(from[i]);
  return sizes;
}

/// How many times the unit roundoff of the truth that of an output is.
double wider_than_truth(const core::Segment& segment, std::size_t k) {
  return ir::unit_roundoff(segment.graph.type(segment.outputs[k]).dtype) / 0x1p-53;
}

/// What a complex op was given, and its truth.
struct Evidence {
  const ir::Feeds& feeds;
  const ir::Tensor& truth;
};

/// Of limits that are known to first order only, those that hold: the rest is smaller by n u, n terms below 2^33.
constexpr double all_orders = 1 + 0x1p-20;

/// How far the truth may be off where that needs no formula.
compare::Allowed plain_uncertainty(const core::Segment& segment, ir::DType dtype) {
  const auto plain = plain_limit(segment, ir::passes::wider(dtype)).value_or(compare::Allowed{});
  if (plain.rule == compare::Allowed::Rule::rounded)
    return {.rule = compare::Allowed::Rule::within, .relative = 0x1p-53};
  return plain;
}

/// Of a complex op: the limits of the same op on the sizes of its operands and result, whose parts'
/// errors are those of twice as many terms.
std::shared_ptr<const compare::Limits> complex_limits(ir::Executor& reference, const core::Segment& segment,
                                                      std::size_t k, const Evidence& known, const Manner& manner) {
  ir::require(segment.graph.nodes().size() == 1, "complex numbers in a fused kernel have no error model");
  core::Segment sizes{.graph = {}, .fed = segment.fed, .outputs = {}, .judged = segment.judged};
  ir::Feeds fed;
  std::vector<ir::Value> operands;
  for (const std::string& name : segment.graph.inputs()) {
    const ir::Tensor& size = fed.emplace(name, moduli(known.feeds.at(name))).first->second;
    operands.push_back(sizes.graph.input(name, size.type()));
  }
  const ir::Tensor& size = fed.emplace("the truth's size", moduli(known.truth)).first->second;
  const ir::Value truth = sizes.graph.input("the truth's size", size.type());
  const ir::Node& node = segment.graph.nodes().front();
  sizes.outputs = sizes.graph.add_all(node.label, node.op, operands);
  const ir::Graph wide = ir::passes::widen(sizes.graph);
  ir::Graph graph = wide;
  Draft draft(sizes, wide, sizes.graph, manner.arithmetic, graph, {{sizes.outputs.at(k), truth}});
  const Bound bound = (2 * wider_than_truth(segment, k)) * draft.bound_of(sizes.outputs.at(k));
  const auto results = reference.run(graph, fed, {bound.probable.value, bound.certain.value});
  return std::make_shared<const compare::Limits>(
      compare::Limits{results.at(bound.probable.value), results.at(bound.certain.value)});
}

/// Where in the graph the limits of an output are.
struct Formula {
  ir::Value probable, certain, of_truth;
};

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

std::shared_ptr<const compare::Limits> limits_of(ir::Tensor probable, ir::Tensor certain) {
  return std::make_shared<const compare::Limits>(compare::Limits{std::move(probable), std::move(certain)});
}

/// Limits that hold, of which nobody asks another.
std::shared_ptr<const compare::Limits> limits_of(ir::Tensor certain) {
  return limits_of(std::move(certain), ir::Tensor({ir::DType::f64, {0}}));
}

/// What holds of every rule.
void finish(compare::Allowed& allowed, ir::DType dtype, const Manner& manner, bool bits) {
  if (ir::unit_roundoff(dtype) == 0) return;
  if (manner.flushes_subnormals && !bits)
    allowed.subnormal = core::float_format(core::compute_dtype(dtype)).smallest_normal();
  if (allowed.rule != compare::Allowed::Rule::within) return;
  allowed.absolute =
      core::float_format(core::compute_dtype(dtype)).ulp(0);  // below the smallest normal nothing is relative
  allowed.storage = dtype == core::compute_dtype(dtype) || ir::is_complex(dtype) ? 0 : 0.5;
  if (!is_double(dtype)) return;
  // The truth is no more precise than the candidate.
  allowed.ulps *= 2, allowed.relative *= 2, allowed.of_limits *= 2;
}

}  // namespace

Bounded evaluate_bounded(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& feeds,
                         const Manner& manner) {
  const ir::Graph wide = ir::passes::widen(segment.graph);
  BoundedProducts products{wide, {}};
  if (reference.has_kernel(ir::schema<ir::BoundedMatmul>()))
    products = with_bounded_products(segment.graph, wide, manner.arithmetic);
  ir::Graph& graph = products.graph;
  const std::size_t own_nodes = graph.nodes().size();
  Draft of_candidate(segment, wide, segment.graph, manner.arithmetic, graph, products.renumbered);
  Draft of_truth(segment, wide, wide, {}, graph, products.renumbered);
  std::vector<ir::Value> wanted;
  for (const ir::Value v : segment.outputs) wanted.push_back(products.at(v));
  std::vector<std::optional<compare::Allowed>> plain;
  std::vector<std::optional<Formula>> sought;
  for (const ir::Value v : segment.outputs) {
    const ir::DType dtype = segment.graph.type(v).dtype;
    plain.push_back(plain_limit(segment, dtype));
    sought.emplace_back();
    if (plain.back() || ir::is_complex(dtype)) continue;
    const Bound bound = of_candidate.bound_of(v);
    sought.back() = {bound.probable.value, bound.certain.value, of_truth.bound_of(v).certain.value};
    wanted.insert(wanted.end(), {sought.back()->probable, sought.back()->certain, sought.back()->of_truth});
  }
  const auto executable = reference.compile(graph, {}, {wanted});
  Results results(executable->run(feeds), wanted);
  const auto reports = executable->nodes();
  Bounded bounded;
  for (const ir::NodeReport& report : std::span(reports).first(own_nodes))
    bounded.truth.nanoseconds += report.nanoseconds.value_or(0);
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    const ir::DType dtype = segment.graph.type(segment.outputs[k]).dtype;
    bounded.truth.outputs.push_back(results.take(products.at(segment.outputs[k])));
    compare::Allowed& allowed =
        bounded.allowed.emplace_back(plain[k].value_or(compare::Allowed{.rule = compare::Allowed::Rule::within}));
    compare::Allowed uncertainty = plain_uncertainty(segment, dtype);
    if (sought[k]) {
      allowed.limits = limits_of(results.take(sought[k]->probable), results.take(sought[k]->certain));
      uncertainty = {.rule = compare::Allowed::Rule::within,
                     .limits = limits_of(results.take(sought[k]->of_truth)),
                     .of_limits = all_orders};
    } else if (!plain[k]) {
      allowed.limits = complex_limits(reference, segment, k, {feeds, bounded.truth.outputs[k]}, manner);
      const ir::Tensor& certain = allowed.limits->certain;
      uncertainty = {.rule = compare::Allowed::Rule::within,
                     .limits = limits_of(certain),
                     .of_limits = all_orders / wider_than_truth(segment, k)};
    }
    bounded.uncertainty.push_back(std::move(uncertainty));
    finish(allowed, dtype, manner, segment.judged.error_class == ir::ErrorClass::bits);
  }
  return bounded;
}

}  // namespace plumb::parity::bounds
