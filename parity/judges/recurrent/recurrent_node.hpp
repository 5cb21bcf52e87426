#pragma once

#include "ir/kernels/recurrent.hpp"
#include "parity/judges/definitions/recurrent.hpp"
#include "parity/judges/recurrence.hpp"

/// Judging rnn, gru and lstm: each step on the state that the candidate itself went on from, where it shows that, and
/// over the unrolled definition where it does not (verdict.md V69).
namespace plumb::parity::judges {

ir::TensorTypes operand_types(const Question& question);

/// A sequence in one direction of a node.
struct Run {
  std::int64_t direction, row, length;
  bool is_reverse;

  /// Where on the axis of steps its step `s` is, for s < length.
  std::int64_t position(std::int64_t s) const { return is_reverse ? length - 1 - s : s; }
};

/// One step of every run at once, each from a state that is given, with its results [T, D, B, H]: h, and of lstm c.
struct Steps {
  judges::definitions::Definition made;
  ir::Feeds own = {};                  ///< the states that are given
  std::vector<std::size_t> ends = {};  ///< by direction, how many nodes there are with its own
};

/// Whether gates or states of one step may be as large as they like, so that products of them leave the range.
template <class T>
bool is_unbounded(const T& op) {
  const auto grows = [](ir::kernels::RecurrentActivation of) {
    using enum ir::kernels::RecurrentActivation;
    return of == relu || of == softplus || of == identity;
  };
  bool any = false;
  if constexpr (requires { op.gate_activation; }) any = grows(op.gate_activation);
  if constexpr (requires { op.cell_activation; }) any = any || grows(op.cell_activation);
  return !op.clip && any;
}

/// The node of a question, as what all three ops have alike.
class RecurrentNode {
 public:
  template <class T>
  RecurrentNode(const T& op, const Question& question)
      : question_(question),
        n_(ir::kernels::recurrent_extents(op, operand_types(question))),
        operands_(ir::kernels::recurrent_operands(op)) {
    find_runs(op.direction);
    // The gate that is not read may hold anything.
    if constexpr (requires { op.input_forget; })
      if (op.input_forget) unread_gate_ = 2;
    if constexpr (requires { op.cell_states; }) hides_states_ = !op.cell_states;
    hides_states_ = hides_states_ || !shows_its_states(question, 0);
    find_wild();
  }

  const ir::kernels::RecurrentExtents& extents() const { return n_; }
  const ir::kernels::RecurrentOperands& operands() const { return operands_; }
  const std::vector<Run>& runs() const { return runs_; }

  /// The element of a tensor [T, D, B, H], and of one [D, B, H].
  std::size_t at(const Run& run, std::int64_t t, std::int64_t unit) const {
    return static_cast<std::size_t>(((t * n_.directions + run.direction) * n_.batch + run.row) * n_.units + unit);
  }
  std::size_t at_end(const Run& run, std::int64_t unit) const { return at(run, 0, unit); }

  /// The states before the steps of one direction, [T·B, H]. `states` [T, D, B, H] are the states after the steps,
  /// `initial` is the operand with the states before the first.
  ir::Tensor before(std::int64_t direction, const ir::Tensor& states, std::optional<std::size_t> initial) const;

  /// Values of all steps at once, by direction [T·B, H], as y has them.
  ir::Value as_outputs(judges::definitions::RecurrentNodes& nodes, const std::vector<ir::Value>& by_direction) const;

  /// The definition of all steps, each from the states [T, D, B, H] that stand behind the step before; of lstm with the
  /// cells, too.
  template <class T>
  Steps steps_from(const T& op, const ir::Tensor& states, const ir::Tensor* cells = nullptr) const;
  /// Has steps be wild in which a number on the way to the state leaves the range, which the state need not show: an
  /// infinite gate times a candidate of 0 is NaN, where the truth is 0 (verdict.md V34).
  void note_what_leaves_the_range(const Steps& steps);

  /// Output `k`, [T, D, B, H], within these limits; what is wild is apart.
  OutputJudgement steps_within(std::size_t k, Limited limited) const;
  /// Output `k`, the last states [D, B, H], within the limits of the steps that output `of` shows. It is a copy of what
  /// that shows: an element that is not has no limit but 0.
  OutputJudgement last_within(std::size_t k, std::size_t of, const Limited& steps,
                              std::optional<std::size_t> initial) const;
  /// Has a run be wild from this step on, as one is in which a number that no output shows left the range.
  void set_wild(std::size_t run, std::int64_t step) { wild_[run] = std::min(wild_[run], step); }
  /// Sets apart in output `k` what is wild; `is_last`: it is [D, B, H].
  void set_wild_apart(OutputJudgement& output, bool is_last) const;
  /// All of a judgement whose first output is y, the others as the op has them.
  Judgement with_wild_apart(Judgement judgement) const;

 private:
  /// States [T, D, B, H] are zero beyond the end of each run.
  void end_runs(Limited& limited) const;
  void find_runs(ir::kernels::RecurrentDirection direction);
  void find_wild();
  bool has_finite_weights(std::int64_t direction) const;
  std::int64_t wild_from(const Run& run) const;
  /// Whether what a gate sums in a step, from the state that the candidate gave before, has an order in which it leaves
  /// the range (verdict.md V34).
  bool overflows_in_some_order(const Run& run, std::int64_t s) const;
  /// False where no gate can: all numbers are small.
  bool may_overflow() const;

  const Question& question_;
  const ir::kernels::RecurrentExtents n_;
  const ir::kernels::RecurrentOperands operands_;
  std::int64_t unread_gate_ = -1;
  std::vector<ir::Tensor> got_;  ///< the candidate's outputs, widened
  std::vector<Run> runs_;
  bool hides_states_ = false;       ///< the states that steps started from are not among the outputs
  std::vector<std::int64_t> wild_;  ///< by run, its first step that is wild; beyond its length where none is
  std::vector<std::vector<std::int64_t>> beyond_;  ///< by run, steps before that of which a gate may leave the range
};

template <class T>
Steps RecurrentNode::steps_from(const T& op, const ir::Tensor& states, const ir::Tensor* cells) const {
  Steps steps{.made = judges::definitions::begin(operand_types(question_))};
  std::vector<judges::definitions::RecurrentState> given;
  const auto give = [&](const std::string& name, ir::Tensor before) {
    const ir::TensorType type = before.type();
    steps.own.emplace(name, std::move(before));
    return steps.made.graph.input(name, type);
  };
  for (std::int64_t d = 0; d < n_.directions; ++d) {
    given.push_back({give(ir::cat("before", d), before(d, states, operands_.initial_h))});
    if (cells != nullptr) given.back().c = give(ir::cat("cell", d), before(d, *cells, operands_.initial_c));
  }
  std::vector<ir::Value> h, c;
  std::optional<judges::definitions::RecurrentNodes> last;
  for (std::int64_t d = 0; d < n_.directions; ++d) {
    judges::definitions::RecurrentNodes& nodes = last.emplace(op, steps.made, d);
    const ir::Value x = nodes.reshape(steps.made.operands[0], {n_.steps * n_.batch, n_.inputs});
    const judges::definitions::RecurrentState next = nodes.step(op, x, given[static_cast<std::size_t>(d)]);
    h.push_back(next.h);
    if (next.c) c.push_back(*next.c);
    steps.ends.push_back(steps.made.graph.nodes().size());
  }
  steps.made.graph.returns(as_outputs(*last, h));
  if (!c.empty()) steps.made.graph.returns(as_outputs(*last, c));
  return steps;
}

/// The definition of all steps of rnn or gru, each on the state before it, with its result [T, D, B, H].
template <class T>
Judgement judge_steps(const T& op, const Question& question) {
  RecurrentNode node(op, question);
  if (!shows_its_states(question, 0)) {
    // The truth has to say in which steps a number leaves the range.
    const auto states = [&] { return ir::convert(question.truth.outputs[0], question.out_type(0).dtype); };
    if (is_unbounded(op)) node.note_what_leaves_the_range(node.steps_from(op, states()));
    return node.with_wild_apart(judge_by_definition(question));
  }
  const Steps steps = node.steps_from(op, question.got[0]);
  if (is_unbounded(op)) node.note_what_leaves_the_range(steps);
  std::vector<Limited> limits = limits_of(question, steps.made, steps.own, question.lambda);
  OutputJudgement last_states = node.last_within(1, 0, limits[0], node.operands().initial_h);
  return {{node.steps_within(0, std::move(limits[0])), std::move(last_states)}};
}

}  // namespace plumb::parity::judges
