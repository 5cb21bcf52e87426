// Options and results of a sweep over precisions: errors, bounds, verdicts and times of each variant.
#pragma once

#include "parity/core/terminal/style.hpp"
#include "parity/studies/sweep/output_error.hpp"
#include "parity/studies/sweep/precision_choice.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::studies::sweep {

struct SweepOptions {
  std::vector<ir::passes::Precision> precisions = {ir::passes::Precision::f32, ir::passes::Precision::f16acc32,
                                                   ir::passes::Precision::f16acc16};
  std::vector<ir::DType> stored = {};  ///< f16 or bf16: a row each with all f32 values stored so, as --dtype does
  std::vector<Choice> choices = {Choice::always, Choice::oscillation, Choice::bound};  ///< for the precisions below f32
  std::vector<double> budgets = {1e-3};  ///< relative 2-norm errors that `bound` allows every output, a row for each
  std::optional<ir::passes::PrecisionPlan> given = {};  ///< a row for this plan, too: what it costs here
  double oscillation = default_oscillation;             ///< weights that oscillate less are taken by `oscillation`
  unsigned runs = 3;                                    ///< runs per variant, the fastest of which is reported
  bool by_time = false;  ///< `bound` asks the candidate what time each node saves, where it has a clock
};

/// The graph at one precision, by one choice of nodes.
struct SweepRow {
  ir::passes::Precision precision = ir::passes::Precision::f32;
  Choice choice = Choice::never;
  std::optional<ir::DType> stored = {};  ///< the dtype that all f32 values are stored in; then there is no choice
  std::optional<double> budget = {};     ///< the budget that `bound` kept to
  bool is_given = false;                 ///< the plan was given: nothing was chosen
  std::string unsupported = {};          ///< why there is nothing to show
  ir::passes::PrecisionPlan plan = {};
  double share = 0;                                ///< share of the flops that could be lowered
  std::vector<OutputErrors> outputs = {};          ///< against the truth of the graph as it was
  double max_ratio = compare::not_computed;        ///< error over bound of the worst node, on its own inputs
  core::Verdict verdict = core::Verdict::skipped;  ///< on the graph at this precision; the worst of several samples
  std::optional<std::uint64_t> device_ns = {};     ///< for all nodes, where the device has timestamps
};

struct SweepResult {
  std::vector<Candidate> candidates;  ///< for f16acc32, with errors when `bound` was asked for
  std::vector<std::string> outputs;   ///< whose errors those are, for each sample
  std::size_t samples = 1;
  std::vector<SweepRow> rows;
};

/// Runs a graph of f32 at each precision, by each choice, and verifies it, on every sample: one graph, fed otherwise.
/// The effect of a node's rounding on the outputs is measured one node at a time on the reference; the choice of
/// `bound` is run on the candidate and loses its costliest nodes until the outputs of all samples keep the budget
/// there. The first sample is timed. Throws as the executors do; Error when the graph has no output of floats, or
/// samples are of different graphs.
SweepResult sweep(const std::vector<cases::Case>& samples, const cases::Executors& executors,
                  const SweepOptions& options, cases::Observer& observer);

/// "bound", or "bound 0.001" where there is more than one budget; "always", "stored", "given".
std::string choice_of(const SweepRow& row, const SweepResult& result);

/// The rows as a table.
std::string to_text(const SweepResult& result, const core::terminal::Style& style = {});

/// Node by node: what it costs, and what each choice says of it.
std::string nodes_text(const SweepResult& result, const core::terminal::Style& style = {});

}  // namespace plumb::parity::studies::sweep
