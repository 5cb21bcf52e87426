// Runs a graph at several precisions: errors of each node alone, time saved, and every variant verified and timed.
#include "parity/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/passes/widen.hpp"
#include "parity/compare/measure.hpp"
#include "parity/sweep/precision_savings.hpp"

namespace plumb::parity::sweep {
namespace {

ir::Feeds widened(const ir::Feeds& feeds) {
  ir::Feeds wide;
  for (const auto& [name, tensor] : feeds) wide.emplace(name, ir::passes::widen(tensor));
  return wide;
}

class Sweep {
 public:
  Sweep(const cases::Case& subject, const cases::Executors& executors, const SweepOptions& options,
        cases::Observer& observer);
  SweepResult finish();

 private:
  cases::Case at(const ir::passes::PrecisionPlan& plan) const;
  std::vector<double> errors(ir::Executor& executor, const ir::passes::PrecisionPlan& plan) const;
  void measure_candidates();
  void measure_savings();
  ir::passes::PrecisionPlan chosen(ir::passes::Precision precision, Choice choice);
  ir::passes::PrecisionPlan by_bound();
  SweepRow row(ir::passes::Precision precision, Choice choice);
  void time_rows();

  const cases::Case& subject_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  const SweepOptions& options_;
  cases::Observer& observer_;
  std::vector<ir::Value> outputs_;  ///< results that a node computes in floats
  ir::Tensors truth_;
  std::vector<double> floors_;  ///< the reference's errors in f32
  SweepResult result_;
};

Sweep::Sweep(const cases::Case& subject, const cases::Executors& executors, const SweepOptions& options,
             cases::Observer& observer)
    : subject_(subject), graph_(subject.file->graph), executors_(executors), options_(options), observer_(observer) {
  ir::require(executors.candidate != nullptr, executors.why_not);
  for (const ir::Value v : graph_.results())
    if (!graph_.is_source(v) && ir::is_float(graph_.type(v).dtype) && graph_.type(v).shape.elements() > 0)
      outputs_.push_back(v);
  ir::require(!outputs_.empty(), subject.name, ": no output is computed in floats, so there is no error to measure");
  for (const ir::Value v : outputs_) result_.outputs.push_back(graph_.name(v));
  truth_ = executors.reference.run(ir::passes::widen(graph_), widened(subject.feeds), outputs_);
  result_.candidates = candidates_of(graph_, subject.feeds, ir::passes::Precision::f16acc32);
}

/// The case with the nodes of a plan in f16. Its truth is the original's: the pass sees to that.
cases::Case Sweep::at(const ir::passes::PrecisionPlan& plan) const {
  cases::Case next = subject_;
  ir::formats::GraphFile file = *subject_.file;
  file.graph = ir::passes::at_precision(graph_, plan);
  next.file = std::make_shared<const ir::formats::GraphFile>(std::move(file));
  return next;
}

/// By output; not finite where the output is not.
std::vector<double> Sweep::errors(ir::Executor& executor, const ir::passes::PrecisionPlan& plan) const {
  const ir::Tensors got = executor.run(ir::passes::at_precision(graph_, plan), subject_.feeds, outputs_);
  std::vector<double> errors;
  for (const ir::Value v : outputs_) {
    const compare::Comparison c = compare::measure(truth_.at(v), got.at(v));
    errors.push_back(c.n_bad == 0 && !std::isnan(c.rel_l2) ? c.rel_l2 : std::numeric_limits<double>::infinity());
  }
  return errors;
}

void Sweep::measure_candidates() {
  if (!floors_.empty()) return;
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
    return executors_.candidate->compile(graph, subject_.feeds, {graph_.results()});
  };
  const auto plain = compile(graph_), fast = compile(narrow);
  for (unsigned run = 0; run < options_.runs; ++run) {
    plain->run(subject_.feeds), take_fastest(before.reports, plain->nodes());
    fast->run(subject_.feeds), take_fastest(after.reports, fast->nodes());
  }
  for (const auto& [label, saved] : savings(before, after, all))
    std::ranges::find(result_.candidates, label, &Candidate::label)->saved_ns = saved;
}

/// Roundings that are not independent after all may exceed the budget together: the last to come go first.
ir::passes::PrecisionPlan Sweep::by_bound() {
  measure_candidates();
  measure_savings();
  auto order = within_budget(result_.candidates, floors_, options_.budget);
  while (true) {
    ir::passes::PrecisionPlan plan;
    for (const std::size_t i : order) plan.emplace(result_.candidates[i].label, ir::passes::Precision::f16acc32);
    const auto found = errors(*executors_.candidate, plan);
    if (order.empty() || std::ranges::all_of(found, [&](double error) { return error <= options_.budget; }))
      return plan;
    order.pop_back();
  }
}

ir::passes::PrecisionPlan Sweep::chosen(ir::passes::Precision precision, Choice choice) {
  if (precision == ir::passes::Precision::f16acc16) return ir::passes::all_at(graph_, precision);
  if (choice == Choice::bound) return by_bound();
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
  std::vector<std::pair<SweepRow*, std::unique_ptr<ir::Executable>>> timed;
  for (SweepRow& row : result_.rows)
    if (row.unsupported.empty())
      timed.emplace_back(&row, executors_.candidate->compile(ir::passes::at_precision(graph_, row.plan), subject_.feeds,
                                                             {graph_.results()}));
  for (unsigned run = 0; run < options_.runs; ++run)
    for (auto& [row, executable] : timed) {
      executable->run(subject_.feeds);
      if (const auto spent = device_time(*executable))
        row->device_ns = std::min(row->device_ns.value_or(*spent), *spent);
    }
}

SweepRow Sweep::row(ir::passes::Precision precision, Choice choice) {
  SweepRow row{.precision = precision, .choice = choice, .plan = chosen(precision, choice)};
  double all = 0, taken = 0;
  for (const Candidate& one : result_.candidates) {
    all += one.flops;
    if (row.plan.contains(one.label)) taken += one.flops;
  }
  row.share = all > 0 ? taken / all : 0;
  const cases::Case subject = at(row.plan);
  const cases::CaseResult verified = verify::verify(subject, executors_, {}, observer_);
  row.verdict = verified.verdict;
  for (const ir::Value v : outputs_) row.outputs.push_back({graph_.name(v)});
  for (const cases::NodeResult& node : verified.nodes) {
    if (const double ratio = node.local.ratio(); !std::isnan(ratio))
      row.max_ratio = std::isnan(row.max_ratio) ? ratio : std::max(row.max_ratio, ratio);
    for (OutputError& output : row.outputs)
      if (output.name == node.name() && node.total.n > 0) {
        output.max_abs = node.total.max_abs.value;
        output.rel_l2 = node.total.rel_l2;
      }
  }
  return row;
}

SweepResult Sweep::finish() {
  for (const ir::passes::Precision precision : options_.precisions) {
    if (precision == ir::passes::Precision::f32) {
      result_.rows.push_back(row(precision, Choice::never));
    } else if (precision == ir::passes::Precision::f16acc16) {
      if (ir::passes::all_at(graph_, precision).empty())
        result_.rows.push_back({.precision = precision, .unsupported = "no matmul of f32, which alone sums in f16"});
      else
        result_.rows.push_back(row(precision, Choice::always));
    } else if (result_.candidates.empty()) {
      result_.rows.push_back({.precision = precision, .unsupported = "no matmul, gemm or conv of f32"});
    } else {
      for (const Choice choice : options_.choices) result_.rows.push_back(row(precision, choice));
    }
  }
  time_rows();
  return std::move(result_);
}

}  // namespace

SweepResult sweep(const cases::Case& subject, const cases::Executors& executors, const SweepOptions& options,
                  cases::Observer& observer) {
  return Sweep(subject, executors, options, observer).finish();
}

}  // namespace plumb::parity::sweep
