// Takes the steps of a recurrence in pieces, and holds what they give to what one pass gives.
#include "parity/checks/relations/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/passes/widen.hpp"
#include "parity/checks/relations/held_run.hpp"
#include "parity/checks/relations/rearrange.hpp"
#include "parity/compare/tolerance.hpp"

namespace plumb::parity::checks::relations {
namespace {

/// So many steps at the end of a node are taken one by one.
constexpr std::int64_t single_steps = 6;

/// Relative error of our own differences and sums of limits: a few roundings to f64.
constexpr double our_roundings = 0x1p-50;

/// Steps from `from` to before `to`.
struct Stretch {
  std::int64_t from = 0, to = 0;
};

/// Counts of steps, clipped to a stretch.
ir::Tensor counts_within(const ir::Tensor& counts, Stretch part) {
  ir::Tensor left = ir::convert(counts, ir::DType::i64);
  for (std::int64_t& count : left.as<std::int64_t>())
    count = std::clamp<std::int64_t>(count - part.from, 0, part.to - part.from);
  return ir::convert(left, counts.dtype());
}

/// The operands of a piece behind `before`; null: it is the first one.
Operands operands_of(const Operands& whole, const Steps& steps, Stretch part, const ir::OpRun* before) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(part.to - part.from));
  std::iota(positions.begin(), positions.end(), part.from);
  Operands operands;
  const auto add = [&](ir::Tensor x, bool is_param) {
    operands.tensors.push_back(std::move(x));
    operands.is_param.push_back(is_param);
  };
  for (const Steps::Operand& one : steps.operands) {
    if (one.state && before != nullptr) {
      add(before->outputs.at(*one.state), false);
    } else if (one.own) {
      const ir::Tensor& x = whole.tensors.at(*one.own);
      if (one.counts_steps)
        add(counts_within(x, part), false);
      else
        add(one.axis ? taken(x, *one.axis, positions) : x, !one.axis && whole.is_param.at(*one.own));
    }
  }
  return operands;
}

/// Results of all pieces of one output, along the axis of its steps; of a state that of the last piece.
ir::Tensor put_together(const std::vector<const ir::Tensor*>& parts, ir::Axis axis) {
  return axis ? joined(parts, *axis) : *parts.back();
}

class Pieces {
 public:
  Pieces(const SteppingNode& node, const Steps& steps, const HeldRun& whole)
      : node_(node), steps_(steps), whole_(whole) {}

  void take(const std::vector<Stretch>& parts) {
    for (const Stretch& part : parts) {
      const ir::OpRun* const before = runs_.empty() ? nullptr : &runs_.back();
      const ir::Op& op = before == nullptr ? node_.op : steps_.continued;
      const Operands operands = operands_of(node_.operands, steps_, part, before);
      runs_.push_back(node_.run(op, operands));
      held_.push_back(hold(node_.executors, op, operands, runs_.back(), node_.lambda));
      if (!held_.back().broken.empty() && broken_.empty())
        broken_ = fmt::format("steps {} to {} by themselves: {}", part.from, part.to - 1, held_.back().broken);
    }
  }

  cases::RelationResult compare_with_whole(cases::RelationResult result) const {
    result.bitwise = false;
    result.ratio = 0;
    for (std::size_t k = 0; k < node_.whole.outputs.size(); ++k) add_output(k, result);
    const std::string& why = whole_.broken.empty() ? broken_ : whole_.broken;
    if (!why.empty()) {
      result.verdict = core::Verdict::failed;
      result.why = why;
    }
    return result;
  }

 private:
  template <class Part>
  ir::Tensor together(std::size_t k, const std::vector<HeldRun>& runs, const Part& part) const {
    std::vector<const ir::Tensor*> parts;
    for (const HeldRun& one : runs) parts.push_back(&part(one).at(k));
    return put_together(parts, steps_.out.at(k));
  }

  void add_output(std::size_t k, cases::RelationResult& result) const {
    std::vector<const ir::Tensor*> outputs;
    for (const ir::OpRun& one : runs_) outputs.push_back(&one.outputs.at(k));
    const ir::Tensor got = put_together(outputs, steps_.out.at(k));
    ir::Tensor limits = together(
        k, held_, [](const HeldRun& one) -> const auto& { return one.limits; });
    const ir::Tensor truth = together(
        k, held_, [](const HeldRun& one) -> const auto& { return one.truth; });
    const ir::Tensor apart = together(
        k, held_, [](const HeldRun& one) -> const auto& { return one.apart; });
    const ir::Tensor& of_whole = node_.whole.outputs[k];
    const auto values = limits.as<double>();
    const auto y = truth.as<double>(), y_of_whole = whole_.truth[k].as<double>();
    const ir::Tensor wide = ir::passes::widen(got), wide_of_whole = ir::passes::widen(of_whole);
    const auto c = wide.as<double>(), c_of_whole = wide_of_whole.as<double>();
    std::vector<bool> marks(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double moved = std::abs(y[i] - y_of_whole[i]), either = values[i] + whole_.limits[k].as<double>()[i];
      values[i] = (either + moved) * (1 + our_roundings);
      // Overflow may hang on a rounding that the other run need not share: each was held by itself.
      marks[i] = apart.as<double>()[i] != 0 || whole_.apart[k].as<double>()[i] != 0 ||
                 !std::isfinite(c[i] - c_of_whole[i]) || !std::isfinite(values[i]);
      if (marks[i]) values[i] = 0;
    }
    const compare::Allowed allowed{
        .rule = compare::Allowed::Rule::within,
        .limits = std::make_shared<const compare::Limits>(compare::Limits{limits, limits, std::move(marks)})};
    const compare::Comparison found = compare::compare(wide, of_whole, allowed);
    result.n += found.n;
    result.n_bad += found.n_bad;
    if (found.ratio() > result.ratio) result.ratio = found.ratio();
    result.n_differ += compare::compare(got, of_whole, {.rule = compare::Allowed::Rule::exact}).n_bad;
    if (!found.agrees()) {
      result.verdict = core::Verdict::failed;
      result.why = fmt::format("output {}: {}", k, compare::summary(found));
    } else if (k == 0 && result.verdict == core::Verdict::passed && compare::is_too_loose(allowed, found)) {
      result.verdict = core::Verdict::mistrusted;
      result.why = "the limits are too wide to prove anything";
    }
  }

  const SteppingNode& node_;
  const Steps& steps_;
  const HeldRun& whole_;
  std::vector<ir::OpRun> runs_;
  std::vector<HeldRun> held_;
  std::string broken_;
};

std::int64_t count_of_steps(const SteppingNode& node, const Steps& steps) {
  for (const Steps::Operand& one : steps.operands)
    if (one.own && one.axis) return node.operands.tensors.at(*one.own).shape()[*one.axis];
  return 0;
}

}  // namespace

std::vector<cases::RelationResult> check_pieces(const SteppingNode& node, const Steps& steps,
                                                const cases::RelationResult& blank) {
  const std::int64_t count = count_of_steps(node, steps);
  if (count < 2) return {};
  const HeldRun whole = hold(node.executors, node.op, node.operands, node.whole, node.lambda);
  std::vector<cases::RelationResult> results;
  const auto ask = [&](cases::Relation relation, const std::vector<Stretch>& parts, std::string how) {
    Pieces pieces(node, steps, whole);
    pieces.take(parts);
    cases::RelationResult result = blank;
    result.relation = relation;
    result.how = std::move(how);
    results.push_back(pieces.compare_with_whole(std::move(result)));
  };
  if (count > 2)
    ask(cases::Relation::pieces, {{0, (count + 1) / 2}, {(count + 1) / 2, count}},
        fmt::format("{} and {} steps", (count + 1) / 2, count / 2));
  const std::int64_t first = std::max<std::int64_t>(0, count - single_steps);
  std::vector<Stretch> parts;
  if (first > 0) parts.push_back({0, first});
  for (std::int64_t t = first; t < count; ++t) parts.push_back({t, t + 1});
  ask(cases::Relation::step_by_step, parts, fmt::format("the last {} of {} steps", count - first, count));
  return results;
}

}  // namespace plumb::parity::checks::relations
