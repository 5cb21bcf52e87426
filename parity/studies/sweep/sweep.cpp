// Runs a graph at several precisions: errors of each node alone, time saved, and every variant verified and timed.
#include "parity/studies/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/passes/widen.hpp"
#include "parity/studies/sweep/precision_savings.hpp"
#include "parity/verify/compile_once.hpp"

namespace plumb::parity::studies::sweep {
namespace {

/// Keeps the candidate's tensors for some values of a graph, while a case runs.
class Results final : public cases::Observer {
 public:
  Results(cases::Observer& progress, const ir::Graph& graph, const std::vector<ir::Value>& wanted)
      : progress_(progress), graph_(graph), wanted_(wanted) {}

  void step(std::string_view what, std::size_t done, std::size_t steps) override { progress_.step(what, done, steps); }
  void compared(const cases::NodeResult& result, const ir::TensorView&, const ir::TensorView& got) override {
    const ir::Value v = graph_.nodes()[result.node].outputs[result.output];
    if (std::ranges::find(wanted_, v) != wanted_.end()) tensors.insert_or_assign(v, ir::Tensor(got));
  }

  ir::Tensors tensors = {};

 private:
  cases::Observer& progress_;
  const ir::Graph& graph_;
  const std::vector<ir::Value>& wanted_;
};

/// Whether two samples have the same params, so that what was compiled for the one serves the other.
bool have_equal_params(const ir::Graph& graph, const ir::Feeds& one, const ir::Feeds& other) {
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v)
    if (!std::ranges::equal(ir::fed(graph, one, v).bytes(), ir::fed(graph, other, v).bytes())) return false;
  return true;
}

class Sweep {
 public:
  Sweep(const std::vector<cases::Case>& samples, const cases::Executors& executors, const SweepOptions& options,
        cases::Observer& observer);
  SweepResult finish();

 private:
  void look_at_samples();
  cases::Case at(const SweepRow& row, std::size_t sample) const;
  std::vector<double> errors(ir::Executor& executor, const ir::passes::PrecisionPlan& plan) const;
  void measure_candidates();
  void measure_savings();
  ir::passes::PrecisionPlan chosen(ir::passes::Precision precision, Choice choice) const;
  ir::passes::PrecisionPlan by_bound(double budget) const;
  void add_rows_by_bound(ir::passes::Precision precision);
  void add_row(SweepRow row);
  void add_row_of(ir::passes::Precision precision);
  void verify_sample(std::size_t sample, SweepRow& row);
  void time_rows();

  const std::vector<cases::Case>& samples_;
  const cases::Case& first_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  verify::CompileOnce once_;  ///< the candidate, which verifies a graph on one sample after the other
  const SweepOptions& options_;
  cases::Observer& observer_;
  bool compiles_once_ = true;        ///< whether all samples have the same params
  std::vector<ir::Value> outputs_;   ///< results that a node computes in floats
  std::vector<ir::Tensors> truths_;  ///< the truths of the results, by sample
  std::vector<double> floors_;       ///< the reference's errors in f32, by sample and output
  SweepResult result_;
};

ir::Executor& required(const cases::Executors& executors) {
  ir::require(executors.candidate != nullptr, executors.why_not);
  return *executors.candidate;
}

Sweep::Sweep(const std::vector<cases::Case>& samples, const cases::Executors& executors, const SweepOptions& options,
             cases::Observer& observer)
    : samples_(samples),
      first_(samples.at(0)),
      graph_(first_.file->graph),
      executors_(executors),
      once_(required(executors)),
      options_(options),
      observer_(observer) {
  for (const ir::Value v : graph_.results())
    if (!graph_.is_source(v) && ir::is_float(graph_.type(v).dtype) && graph_.type(v).shape.elements() > 0)
      outputs_.push_back(v);
  ir::require(!outputs_.empty(), first_.name, ": no output is computed in floats, so there is no error to measure");
  for (const ir::Value v : outputs_) result_.outputs.push_back(graph_.name(v));
  look_at_samples();
  result_.candidates = candidates_of(graph_, first_.feeds, ir::passes::Precision::f16acc32);
}

void Sweep::look_at_samples() {
  result_.samples = samples_.size();
  const std::string graph = ir::formats::graph_json(graph_);
  const ir::Graph wide = ir::passes::widen(graph_);
  for (const cases::Case& sample : samples_) {
    ir::require(&sample == &first_ || ir::formats::graph_json(sample.file->graph) == graph, sample.name,
                ": samples are of different graphs: what they feed settles other shapes or branches");
    compiles_once_ &= have_equal_params(graph_, first_.feeds, sample.feeds);
    truths_.push_back(executors_.reference.run(wide, ir::passes::widen(sample.feeds), outputs_));
  }
}

/// A sample with the nodes of a plan in f16, or all of it stored otherwise. Its truth is the original's: the passes see
/// to that.
cases::Case Sweep::at(const SweepRow& row, std::size_t sample) const {
  if (row.stored) return verify::stored_as(samples_[sample], *row.stored);
  cases::Case next = samples_[sample];
  ir::formats::GraphFile file = *next.file;
  file.graph = ir::passes::at_precision(graph_, row.plan);
  next.file = std::make_shared<const ir::formats::GraphFile>(std::move(file));
  return next;
}

/// By output of each sample; not finite where the output is not.
std::vector<double> Sweep::errors(ir::Executor& executor, const ir::passes::PrecisionPlan& plan) const {
  const ir::Graph graph = ir::passes::at_precision(graph_, plan);
  std::unique_ptr<ir::Executable> executable;
  std::vector<double> errors;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const ir::Feeds& feeds = samples_[s].feeds;
    if (!executable || !compiles_once_) executable = executor.compile(graph, feeds, {outputs_});
    const ir::Tensors got = executable->run(feeds);
    for (const ir::Value v : outputs_) {
      const double error = error_of(truths_[s].at(v), got.at(v), graph_.type(v).dtype).rel_l2;
      errors.push_back(std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
  }
  return errors;
}

void Sweep::measure_candidates() {
  floors_ = errors(executors_.reference, {});
  for (std::size_t i = 0; i < result_.candidates.size(); ++i) {
    Candidate& one = result_.candidates[i];
    observer_.step("f16 in " + one.label, i, result_.candidates.size());
    one.errors = errors(executors_.reference, {{one.label, ir::passes::Precision::f16acc32}});
    for (std::size_t k = 0; k < floors_.size(); ++k)
      one.errors[k] = std::sqrt(std::max(0.0, one.errors[k] * one.errors[k] - floors_[k] * floors_[k]));
  }
}

/// Keeps each node's fastest report.
void take_fastest(std::vector<ir::NodeReport>& fastest, const std::vector<ir::NodeReport>& run) {
  if (fastest.empty()) fastest = run;
  for (std::size_t n = 0; n < run.size(); ++n)
    if (run[n].nanoseconds)
      fastest[n].nanoseconds = std::min(fastest[n].nanoseconds.value_or(*run[n].nanoseconds), *run[n].nanoseconds);
}

/// One run of the graph as it is, one with all candidates in f16, in turn: what each of them saves in company.
void Sweep::measure_savings() {
  if (!options_.by_time) return;
  ir::passes::PrecisionPlan all;
  for (const Candidate& one : result_.candidates) all.emplace(one.label, ir::passes::Precision::f16acc32);
  const ir::Graph narrow = ir::passes::at_precision(graph_, all);
  Timed before{graph_, {}}, after{narrow, {}};
  const auto compile = [&](const ir::Graph& graph) {
    return executors_.candidate->compile(graph, first_.feeds, {graph_.results()});
  };
  const auto plain = compile(graph_), fast = compile(narrow);
  for (unsigned run = 0; run < options_.runs; ++run) {
    plain->run(first_.feeds);
    take_fastest(before.reports, plain->nodes());
    fast->run(first_.feeds);
    take_fastest(after.reports, fast->nodes());
  }
  for (const auto& [label, saved] : savings(before, after, all))
    std::ranges::find(result_.candidates, label, &Candidate::label)->saved_ns = saved;
}

/// Roundings that are not independent after all may exceed the budget together: the last to come go first.
ir::passes::PrecisionPlan Sweep::by_bound(double budget) const {
  auto order = candidates_within_budget(result_.candidates, floors_, budget);
  while (true) {
    ir::passes::PrecisionPlan plan;
    for (const std::size_t i : order) plan.emplace(result_.candidates[i].label, ir::passes::Precision::f16acc32);
    const auto found = errors(*executors_.candidate, plan);
    if (order.empty() || std::ranges::all_of(found, [&](double error) { return error <= budget; })) return plan;
    order.pop_back();
  }
}

ir::passes::PrecisionPlan Sweep::chosen(ir::passes::Precision precision, Choice choice) const {
  if (precision != ir::passes::Precision::f16acc32) return ir::passes::all_at(graph_, precision);
  ir::passes::PrecisionPlan plan;
  for (const Candidate& one : result_.candidates)
    if (choice == Choice::always ||
        (choice == Choice::oscillation && refusal_by_oscillation(one, options_.oscillation).empty()))
      plan.emplace(one.label, ir::passes::Precision::f16acc32);
  return plan;
}

/// Time of all nodes in the last run, where it was measured.
std::optional<std::uint64_t> device_time(const ir::Executable& executable) {
  std::optional<std::uint64_t> sum;
  for (const ir::NodeReport& node : executable.nodes())
    if (node.nanoseconds) sum = sum.value_or(0) + *node.nanoseconds;
  return sum;
}

/// The rows take turns, so that a device's clock that changes does so for all. Nothing but the results is
/// kept, so that all is fused that can be.
void Sweep::time_rows() {
  struct Variant {
    SweepRow* row;
    std::unique_ptr<ir::Executable> executable;
    ir::Feeds stored;  ///< empty where it is fed what the graph is fed
  };
  std::vector<Variant> variants;
  for (SweepRow& row : result_.rows) {
    if (!row.unsupported.empty()) continue;
    cases::Case subject = at(row, 0);
    const ir::Graph& graph = subject.file->graph;
    auto executable = executors_.candidate->compile(graph, subject.feeds, {graph.results()});
    variants.push_back({&row, std::move(executable), row.stored ? std::move(subject.feeds) : ir::Feeds{}});
  }
  for (unsigned run = 0; run < options_.runs; ++run)
    for (const Variant& one : variants) {
      one.executable->run(one.row->stored ? one.stored : first_.feeds);
      if (const auto spent = device_time(*one.executable))
        one.row->device_ns = std::min(one.row->device_ns.value_or(*spent), *spent);
    }
}

/// Runs and judges a row on one sample.
void Sweep::verify_sample(std::size_t sample, SweepRow& row) {
  const cases::Case subject = at(row, sample);
  Results results(observer_, subject.file->graph, outputs_);
  cases::Executors executors = executors_;
  if (samples_.size() > 1) executors.candidate = &once_;
  const cases::CaseResult verified = verify::verify(subject, executors, {}, results);
  if (sample == 0 || core::is_worse(verified.verdict, row.verdict)) row.verdict = verified.verdict;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const auto got = results.tensors.find(outputs_[k]);
    OutputError& error = row.outputs[k].samples.emplace_back();
    if (got == results.tensors.end()) continue;
    error = error_of(truths_[sample].at(outputs_[k]), got->second, graph_.type(outputs_[k]).dtype);
    const auto node = std::ranges::find(verified.nodes, row.outputs[k].name, &cases::NodeResult::name);
    if (node != verified.nodes.end() && node->converted && node->converted->n > 0)
      error.converted = node->converted->rel_l2;
  }
  for (const cases::NodeResult& node : verified.nodes)
    if (const double ratio = node.local.ratio(); !std::isnan(ratio))
      row.max_ratio = std::isnan(row.max_ratio) ? ratio : std::max(row.max_ratio, ratio);
}

void Sweep::add_row(SweepRow row) {
  double all = 0, taken = 0;
  for (const Candidate& one : result_.candidates) {
    all += one.flops;
    if (row.plan.contains(one.label)) taken += one.flops;
  }
  row.share = all > 0 ? taken / all : 0;
  for (const std::string& name : result_.outputs) row.outputs.push_back({.name = name});
  for (std::size_t s = 0; s < samples_.size(); ++s) verify_sample(s, row);
  result_.rows.push_back(std::move(row));
}

void Sweep::add_row_of(ir::passes::Precision precision) {
  const auto is_none = [&](const char* why) { result_.rows.push_back({.precision = precision, .unsupported = why}); };
  const auto add = [&](Choice choice) {
    add_row({.precision = precision, .choice = choice, .plan = chosen(precision, choice)});
  };
  if (precision == ir::passes::Precision::f32) return add_row({.precision = precision, .choice = Choice::never});
  if (precision != ir::passes::Precision::f16acc32) {
    if (!ir::passes::all_at(graph_, precision).empty()) return add(Choice::always);
    if (precision == ir::passes::Precision::q8acc32) return is_none("no product of f32 with packed weights");
    return is_none(precision == ir::passes::Precision::f16acc16 ? "no matmul of f32, which alone sums in f16"
                                                                : "no matmul, gemm or conv of f32");
  }
  if (result_.candidates.empty()) return is_none("no matmul, gemm or conv of f32");
  for (const Choice choice : options_.choices) choice == Choice::bound ? add_rows_by_bound(precision) : add(choice);
}

/// Costs and savings of nodes are measured once for all budgets.
void Sweep::add_rows_by_bound(ir::passes::Precision precision) {
  measure_candidates();
  measure_savings();
  for (const double budget : options_.budgets)
    add_row({.precision = precision, .choice = Choice::bound, .budget = budget, .plan = by_bound(budget)});
}

SweepResult Sweep::finish() {
  for (const ir::passes::Precision precision : options_.precisions) add_row_of(precision);
  if (options_.given)
    add_row({.precision = ir::passes::Precision::f16acc32, .is_given = true, .plan = *options_.given});
  for (const ir::DType dtype : options_.stored) try {
      add_row({.stored = dtype});
    } catch (const ir::DeviceError&) {
      throw;
    } catch (const ir::Error& error) {  // an op that takes neither this dtype nor f32, or no device that stores it
      result_.rows.push_back({.stored = dtype, .unsupported = error.what()});
    }
  time_rows();
  return std::move(result_);
}

}  // namespace

SweepResult sweep(const std::vector<cases::Case>& samples, const cases::Executors& executors,
                  const SweepOptions& options, cases::Observer& observer) {
  return Sweep(samples, executors, options, observer).finish();
}

}  // namespace plumb::parity::studies::sweep
