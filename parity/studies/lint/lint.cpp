// Goes through a graph from its sources on: what is known of operands says what is known of results.
#include "parity/studies/lint/lint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "parity/checks/exact/rule.hpp"
#include "parity/checks/exact/term_sum.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::studies::lint {
namespace {

using ir::formats::Generated;

void require_ranges(const ir::Graph& graph, const Options& options) {
  for (const auto& [name, range] : options.ranges) {
    const auto found = graph.find(name);
    std::vector<std::string> names = graph.inputs();
    names.insert(names.end(), graph.params().begin(), graph.params().end());
    ir::require(found && graph.is_source(*found), "there is no input or param '", name, "' to have a range",
                core::did_you_mean(name, names));
    ir::require(range.first <= range.second, "the range of '", name, "' is upside down: ", range.first, " to ",
                range.second);
    ir::require(std::isfinite(range.first) && std::isfinite(range.second), "the range of '", name, "' is not finite");
  }
}

/// Whether a source's numbers are there, or depend on more than a fill: then they are made.
bool is_made(const ir::formats::GraphFile& file, const std::string& name) {
  const auto source = file.sources.find(name);
  if (source == file.sources.end()) return false;
  const auto* const generated = std::get_if<Generated>(&source->second);
  return generated == nullptr || generated->fill.distribution == ir::Distribution::adversarial ||
         generated->fill.distribution == ir::Distribution::packed;
}

/// The tensors of the sources that are made, by name.
ir::Feeds made_sources(const ir::formats::GraphFile& file, const Options& options) {
  ir::Feeds made;
  bool needs_graph = false;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const std::string name = file.graph.name(v);
    if (options.ranges.contains(name) || !is_made(file, name)) continue;
    if (const auto* const tensor = std::get_if<ir::Tensor>(&file.sources.find(name)->second))
      made.emplace(name, *tensor);
    else
      needs_graph = true;
  }
  if (!needs_graph) return made;
  for (auto& [name, tensor] : ir::formats::materialise(file, options.seed))
    if (is_made(file, name) && !options.ranges.contains(name)) made.insert_or_assign(name, std::move(tensor));
  return made;
}

/// The estimate of an output, by its sample.
ValueEstimate estimate_of_output(const NodeSample& sample, const ir::TensorType& type) {
  ValueEstimate made{.is_known = true, .low = sample.low, .high = sample.high};
  double sum = 0, squares = 0;
  for (const Drawn& x : sample.typical) sum += std::isfinite(x.re) ? x.re : 0;
  const auto count = static_cast<double>(std::max<std::size_t>(sample.typical.size(), 1));
  for (const Drawn& x : sample.typical) squares += std::isfinite(x.re) ? std::pow(x.re - sum / count, 2) : 0;
  const double reach =
      std::sqrt(squares / std::max(count - 1, 1.0)) * normal_extreme(static_cast<double>(type.shape.elements()));
  made.likely_low = std::clamp(std::min(sample.pushed_low, sum / count - reach), sample.low, sample.high);
  made.likely_high = std::clamp(std::max(sample.pushed_high, sum / count + reach), sample.low, sample.high);
  made.pool = sample.typical;
  if (made.pool.empty()) made.pool.push_back({});
  set_moments(made);
  return made;
}

/// The estimate as those see it who read the value: within the range of its dtype.
void store(ValueEstimate& estimate, ir::DType dtype) {
  for (double* const bound : {&estimate.low, &estimate.high, &estimate.likely_low, &estimate.likely_high})
    *bound = stored(*bound, dtype);
  for (Drawn& x : estimate.pool) x = {stored(x.re, dtype), stored(x.im, dtype)};
  set_moments(estimate);
  if (!estimate.grain) return;
  const auto is_on_grid = [&](const Drawn& x) {
    const double steps = std::ldexp(x.re, -*estimate.grain);
    return !std::isfinite(steps) || steps == std::trunc(steps);
  };
  if (!std::ranges::all_of(estimate.pool, is_on_grid)) estimate.grain.reset();
}

class Propagation {
 public:
  Propagation(const ir::formats::GraphFile& file, const Options& options, Lint& result);
  void run();

 private:
  void add_sources();
  void add_node(const ir::Node& node);
  void add_output(const ir::Node& node, std::size_t k);
  void keep(const ir::Node& node, ir::Value value, std::vector<Finding> found);
  void find_unused();
  std::optional<int> grain_of(const ir::Node& node, std::size_t k) const;

  const ir::formats::GraphFile& file_;
  const Options& options_;
  Lint& result_;
  NodeSampler sampler_;
  std::vector<std::map<Kind, Level>> inherited_;  ///< by value: what is found of it, or of a value before it
};

Propagation::Propagation(const ir::formats::GraphFile& file, const Options& options, Lint& result)
    : file_(file),
      options_(options),
      result_(result),
      sampler_(result.graph, result.values),
      inherited_(result.graph.value_count()) {}

void Propagation::add_sources() {
  const ir::Graph& graph = result_.graph;
  const ir::Feeds made = made_sources(file_, options_);
  for (ir::Value v = 0; graph.is_source(v); ++v) {
    const std::string name = graph.name(v);
    const ir::TensorType& type = graph.type(v);
    ValueEstimate& estimate = result_.values[v];
    const auto range = options_.ranges.find(name);
    const auto source = file_.sources.find(name);
    if (type.shape.elements() == 0)
      estimate = guess_of(type);
    else if (range != options_.ranges.end())
      estimate = estimate_of(type, range->second.first, range->second.second);
    else if (const auto tensor = made.find(name); tensor != made.end())
      estimate = estimate_of(tensor->second, type.dtype);
    else if (source != file_.sources.end())
      estimate = estimate_of(type, std::get<Generated>(source->second).fill, name);
    else
      estimate = estimate_of(type, ir::default_fill(file_.graph.type(v).dtype), name);
    for (Finding& found : findings_of_source(graph, v, estimate)) {
      inherited_[v].emplace(found.kind, found.level);
      result_.findings.push_back(std::move(found));
    }
    store(estimate, type.dtype);
  }
}

/// The grid that an output's numbers are on, by the rule by which its op is exact.
std::optional<int> Propagation::grain_of(const ir::Node& node, std::size_t k) const {
  using Arithmetic = checks::exact::Rule::Arithmetic;
  const ir::Graph& graph = result_.graph;
  if (!ir::is_float(graph.type(node.outputs[k]).dtype)) return 0;
  ir::TensorTypes in, out;
  std::vector<checks::exact::Lattice> lattices;
  for (const ir::Value v : node.inputs) {
    in.push_back(graph.type(v));
    const bool is_code = !ir::is_float(in.back().dtype) && !node.op.is<ir::ops::Cast>();  // it may stand for any number
    if (is_code || !result_.values[v].grain) return std::nullopt;
    lattices.push_back({*result_.values[v].grain, 1, true});
  }
  for (const ir::Value v : node.outputs) out.push_back(graph.type(v));
  const auto rule = checks::exact::rule_of(node.op, in, out);
  if (rule.arithmetic == Arithmetic::rounds || lattices.empty()) return std::nullopt;
  if (rule.arithmetic == Arithmetic::sums)
    return checks::exact::sum_of(rule.terms, lattices).grain -
           static_cast<int>(std::log2(static_cast<double>(rule.divisor)));
  return std::ranges::min(lattices, {}, &checks::exact::Lattice::grain).grain;
}

/// Keeps what is found, unless an operand has it, as surely, and hands it on.
void Propagation::keep(const ir::Node& node, ir::Value value, std::vector<Finding> found) {
  constexpr std::array handed_on = {Kind::overflow,  Kind::domain,      Kind::masked_row,      Kind::vacuous,
                                    Kind::subnormal, Kind::accumulator, Kind::integer_overflow};
  std::map<Kind, Level>& own = inherited_[value];
  for (const ir::Value v : node.inputs)
    for (const auto& [kind, level] : inherited_[v]) {
      const auto known = own.emplace(kind, level).first;
      known->second = std::max(known->second, level);
    }
  for (Finding& one : found) {
    const bool is_handed_on = std::ranges::find(handed_on, one.kind) != handed_on.end();
    const auto known = own.find(one.kind);
    if (is_handed_on && known != own.end() && known->second >= one.level) continue;
    if (is_handed_on) own.insert_or_assign(one.kind, one.level);
    result_.findings.push_back(std::move(one));
  }
}

void Propagation::add_output(const ir::Node& node, std::size_t k) {
  const ir::Value value = node.outputs[k];
  const ir::TensorType& type = result_.graph.type(value);
  ValueEstimate& estimate = result_.values[value];
  if (node.op.is<ir::ops::Constant>() && type.shape.elements() > 0) {
    estimate = estimate_of(ir::Tensor(ir::TensorView{type, node.op.as<ir::ops::Constant>().data}), type.dtype);
    return;
  }
  const auto sample = sampler_.sample(node, k);
  if (!sample) {
    estimate = guess_of(type);
    if (type.shape.elements() > 0) result_.unknown.push_back(result_.graph.name(value));
    return keep(node, value, {});
  }
  if (const auto numbers = sampler_.folded(node, k)) {
    estimate = estimate_of(*numbers, type.dtype);
  } else {
    estimate = estimate_of_output(*sample, type);
    estimate.grain = grain_of(node, k);
  }
  const auto as_reals = ir::is_integer(type.dtype) ? sampler_.sample_as_reals(node, k) : std::nullopt;
  const Subject subject{result_.graph, node, k, result_.values, *sample, as_reals ? &*as_reals : nullptr};
  keep(node, value, findings_of(subject));
  store(estimate, type.dtype);
}

void Propagation::find_unused() {
  const ir::Graph& graph = result_.graph;
  std::set<ir::Value> used(graph.results().begin(), graph.results().end());
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
    if (std::ranges::any_of(node->outputs, [&](ir::Value v) { return used.contains(v); }))
      used.insert(node->inputs.begin(), node->inputs.end());
  for (ir::Value v = 0; graph.is_source(v); ++v)
    if (!used.contains(v)) result_.findings.push_back(unused(graph, v));
}

void Propagation::run() {
  find_unused();
  add_sources();
  for (const ir::Node& node : result_.graph.nodes())
    for (std::size_t k = 0; k < node.outputs.size(); ++k) add_output(node, k);
}

}  // namespace

Lint lint(const ir::formats::GraphFile& file, const Options& options) {
  require_ranges(file.graph, options);
  Lint result;
  result.graph = options.dtype ? ir::passes::as_dtype(file.graph, *options.dtype) : file.graph;
  result.values.resize(result.graph.value_count());
  Propagation(file, options, result).run();
  return result;
}

}  // namespace plumb::parity::studies::lint
