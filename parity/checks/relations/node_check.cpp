// Metamorphic checks of one node: permuted, halved, scaled, split and exchanged operands against its own result.
#include "parity/checks/relations/node_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/cost.hpp"
#include "ir/passes/widen.hpp"
#include "parity/checks/relations/held_run.hpp"
#include "parity/checks/relations/limited.hpp"
#include "parity/checks/relations/pieces.hpp"
#include "parity/checks/relations/rearrange.hpp"
#include "parity/checks/relations/transforms.hpp"
#include "parity/core/float_format.hpp"
#include "parity/judges/node_judge.hpp"

namespace plumb::parity::checks::relations {
namespace {

constexpr int scale_exponent = 2;
constexpr double most_flops_of_steps = 0x1p22;  // ops that are judged together are judged anew for every relation

using Change = std::function<ir::Tensor(const ir::Tensor&)>;

class NodeCheck {
 public:
  NodeCheck(const cases::Executors& executors, const ir::Graph& graph, std::size_t n, const Operands& operands,
            double lambda)
      : executors_(executors), n_(n), node_(graph.nodes()[n]), operands_(operands), lambda_(lambda) {}

  std::vector<cases::RelationResult> run();

 private:
  void along(const ir::Loop& loop);
  void rearrange(cases::Relation relation, const ir::Loop& loop, const std::vector<std::int64_t>& positions);
  void scale(const Homogeneity& degree);
  void add_parts(const Homogeneity& degree);
  void exchange(const Exchange& exchange);
  void keep_what_transforms_keep(const Transform& transform);
  void take_steps(const Steps& steps);
  bool is_too_much() const;
  ir::OpRun candidate(const ir::Op& op, const Operands& operands) const {
    return ir::run_op_with_report(*executors_.candidate, op, operands.tensors, node_.label, operands.is_param);
  }
  const ir::Tensor& y() const { return base_.outputs.front(); }
  bool rounds_alike() const;
  bool drifts() const;
  bool chooses() const;
  void within_limits(cases::RelationResult result, const ir::Tensor& expected, const ir::Tensor& got,
                     const Limited& limited);
  void bit_by_bit(cases::RelationResult result, const ir::Tensor& expected, const ir::Tensor& got);
  Limited limits_of(const ir::Op& op, const Operands& operands, const ir::OpRun& run) const;
  const Limited& base_limits();
  void admissible(cases::RelationResult result, const ir::Tensor& expected, const Operands& operands,
                  const ir::OpRun& other);
  void changed(cases::RelationResult result, const Change& change, const ir::Op& op, const Operands& operands,
               bool same_order);

  const cases::Executors& executors_;
  const std::size_t n_;
  const ir::Node& node_;
  const Operands& operands_;
  const double lambda_;
  ir::OpRun base_;
  std::optional<Limited> base_limits_;
  Symmetries declared_;
  std::vector<cases::RelationResult> results_;
};

/// Whether two evaluations must agree in every bit, in whatever order they were made.
bool NodeCheck::rounds_alike() const {
  const ir::ErrorClass of = node_.op.error_class();
  return ir::unit_roundoff(y().dtype()) == 0 || of == ir::ErrorClass::bits || of == ir::ErrorClass::exact ||
         (of == ir::ErrorClass::rounded && !ir::is_complex(y().dtype()));  // complex products round more than once
}

/// Whether two right results may differ by more than the limits of both.
bool NodeCheck::drifts() const { return declared_.feeds_back && operands_.tensors.front().shape().front() > 1; }

/// Whether the result is chosen by real numbers that are rounded on the way: at a near tie two right results differ.
bool NodeCheck::chooses() const {
  const auto is_real = [](const ir::Tensor& x) { return ir::is_float(x.dtype()); };
  return node_.op.error_class() == ir::ErrorClass::discrete && ir::unit_roundoff(y().dtype()) == 0 &&
         std::ranges::any_of(operands_.tensors, is_real);
}

/// Asks the op's judge what verify holds a run of it to.
Limited NodeCheck::limits_of(const ir::Op& op, const Operands& operands, const ir::OpRun& run) const {
  HeldRun held = hold(executors_, op, operands, run, lambda_);
  return {std::move(held.limits.front()), std::move(held.apart.front())};
}

const Limited& NodeCheck::base_limits() {
  if (!base_limits_) base_limits_ = limits_of(node_.op, operands_, base_);
  return *base_limits_;
}

void NodeCheck::bit_by_bit(cases::RelationResult result, const ir::Tensor& expected, const ir::Tensor& got) {
  const compare::Comparison found = compare::compare(expected, got, {.rule = compare::Allowed::Rule::exact});
  result.n = found.n;
  result.n_bad = result.n_differ = found.n_bad;
  if (!found.agrees()) {
    result.verdict = core::Verdict::failed;
    result.why = compare::summary(found);
  }
  results_.push_back(std::move(result));
}

void NodeCheck::within_limits(cases::RelationResult result, const ir::Tensor& expected, const ir::Tensor& got,
                              const Limited& limited) {
  hold_within(expected, got, limited, result);
  results_.push_back(std::move(result));
}

/// Choices that differ have to be admissible, both of them, each by its own operands (verdict.md V64).
void NodeCheck::admissible(cases::RelationResult result, const ir::Tensor& expected, const Operands& operands,
                           const ir::OpRun& other) {
  const compare::Comparison found =
      compare::compare(expected, other.outputs.front(), {.rule = compare::Allowed::Rule::exact});
  result.n = found.n;
  result.n_differ = found.n_bad;
  if (!found.agrees()) {
    result.bitwise = false;
    std::string defect = defect_of(executors_, node_.op, operands_, base_, lambda_);
    if (defect.empty()) defect = defect_of(executors_, node_.op, operands, other, lambda_);
    if (!defect.empty()) {
      result.verdict = core::Verdict::failed;
      result.n_bad = found.n_bad;
      result.why = compare::summary(found) + "; of one alone " + defect;
    }
  }
  results_.push_back(std::move(result));
}

/// Another evaluation, of which the result must be the first one's, changed.
void NodeCheck::changed(cases::RelationResult result, const Change& change, const ir::Op& op, const Operands& operands,
                        bool same_order) {
  const ir::OpRun other = candidate(op, operands);
  const ir::Tensor expected = change(y());
  const ir::NodeReport &one = base_.report, &two = other.report;
  const bool is_same_work = same_order && one.kernel == two.kernel && one.sums == two.sums;
  if (chooses() && !is_same_work && op == node_.op) return admissible(std::move(result), expected, operands, other);
  if (rounds_alike() || is_same_work) return bit_by_bit(std::move(result), expected, other.outputs.front());
  if (drifts()) return;  // the limits of a step say nothing of what the states before it differ by
  const Limited& own = base_limits();
  within_limits(std::move(result), expected, other.outputs.front(),
                both({change(own.limits), change(own.apart)}, limits_of(op, operands, other)));
}

void NodeCheck::rearrange(cases::Relation relation, const ir::Loop& loop, const std::vector<std::int64_t>& positions) {
  Operands operands = operands_;
  std::string how;
  for (std::size_t i = 0; i < loop.in.size(); ++i) {
    if (!loop.in[i]) continue;
    operands.tensors[i] = taken(operands.tensors[i], *loop.in[i], positions);
    how += fmt::format("{}axis {} of operand {}", how.empty() ? "" : ", ", *loop.in[i], i);
  }
  const Change change = [&](const ir::Tensor& x) { return loop.out ? taken(x, *loop.out, positions) : x; };
  changed({n_, node_.label, relation, how}, change, node_.op, operands,
          loop.steps == ir::StepOrder::independent && !declared_.tiled);
}

void NodeCheck::along(const ir::Loop& loop) {
  std::int64_t extent = 0;
  for (std::size_t i = 0; i < loop.in.size(); ++i)
    if (loop.in[i]) extent = operands_.tensors[i].shape()[*loop.in[i]];
  if (extent < 2) return;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(extent));
  std::iota(positions.rbegin(), positions.rend(), 0);
  rearrange(loop.out ? cases::Relation::permutation : cases::Relation::summation_order, loop, positions);
  if (loop.steps != ir::StepOrder::independent) return;
  std::ranges::reverse(positions);
  positions.resize(static_cast<std::size_t>((extent + 1) / 2));
  rearrange(cases::Relation::batch_slice, loop, positions);
}

std::string numbers(const std::vector<std::size_t>& operands) {
  return fmt::format("operand{} {}", operands.size() > 1 ? "s" : "", fmt::join(operands, " and "));
}

void NodeCheck::scale(const Homogeneity& degree) {
  const core::FloatFormat computed = core::float_format(core::compute_dtype(y().dtype()));
  double least = 1;  // at most any product of operands
  for (const ir::Tensor& x : operands_.tensors)
    if (ir::is_float(x.dtype())) least *= least_size(x);
  // Far enough from subnormals that no term, nor a difference of terms, is one.
  if (least < std::ldexp(1.0, computed.min_exponent + computed.fraction_bits + 24)) return;
  if (!stays_finite(y(), scale_exponent + 1)) return;
  Operands operands = operands_;
  for (const std::size_t i : degree.operands) {
    if (!stays_finite(operands.tensors[i], scale_exponent)) return;
    operands.tensors[i] = scaled(operands.tensors[i], scale_exponent);
  }
  const ir::OpRun run = candidate(node_.op, operands);
  ir::Tensor other = run.outputs.front(), expected = scaled(y(), scale_exponent);
  clear_subnormals(expected, other, scale_exponent);
  // The larger operands may leave the range inside a kernel, where results do not: that is judged as verify judges it.
  if (lost_range(expected, other)) clear_marked(expected, other, limits_of(node_.op, operands, run).apart);
  bit_by_bit({n_, node_.label, cases::Relation::scaling,
              numbers(degree.operands) + fmt::format(" times {}", 1 << scale_exponent)},
             expected, other);
}

/// The first operand as the sum of two, that are 0 where the other is not; what is scaled with it goes with one.
void NodeCheck::add_parts(const Homogeneity& degree) {
  if (!stays_finite(y(), 1)) return;
  for (const ir::Tensor& x : operands_.tensors)
    if (ir::is_float(x.dtype()) && !stays_finite(x, 0)) return;
  if (operands_.tensors[degree.operands.front()].elements() < 2) return;
  std::optional<ir::Tensor> total;
  Limited limited = base_limits();
  for (const std::size_t part : {0u, 1u}) {
    Operands operands = operands_;
    for (const std::size_t i : degree.operands) {
      if (i == degree.operands.front())
        operands.tensors[i] = every_other(operands.tensors[i], part);
      else if (part == 1)
        operands.tensors[i] = ir::Tensor(operands.tensors[i].type());
    }
    const ir::OpRun one = candidate(node_.op, operands);
    const ir::Tensor wide = ir::passes::widen(one.outputs.front());
    limited = both(limited, limits_of(node_.op, operands, one));
    if (total) limited.limits = sum(limited.limits, lost_in_sum(*total, wide));  // nobody's error but ours
    total = total ? sum(*total, wide) : wide;
  }
  within_limits({n_, node_.label, cases::Relation::linearity, numbers(degree.operands)}, *total, y(), limited);
}

void NodeCheck::exchange(const Exchange& exchange) {
  Operands operands = operands_;
  std::swap(operands.tensors[0], operands.tensors[1]);
  std::vector<bool>::swap(operands.is_param[0], operands.is_param[1]);
  const Change change = [&](const ir::Tensor& x) { return exchange.transposes ? transposed_last(x) : x; };
  const auto relation = exchange.transposes ? cases::Relation::transposition : cases::Relation::commutativity;
  changed({n_, node_.label, relation, "operands 0 and 1"}, change, exchange.op, operands,
          exchange.same_order && !exchange.transposes);
}

void NodeCheck::keep_what_transforms_keep(const Transform& transform) {
  const auto run = [&](const ir::Op& op, const ir::Tensor& x) -> std::optional<ir::Tensor> {
    ir::OpRun other = candidate(op, {{x}, {false}});
    const bool runs_it = other.report.placement != ir::Placement::cpu || executors_.candidate_is_host;
    return runs_it ? std::optional(std::move(other.outputs.front())) : std::nullopt;
  };
  const TransformRun made{node_.op, operands_.tensors.front(), y(), run, executors_.flushes_subnormals};
  std::ranges::move(check_transform(made, transform, {n_, node_.label}), std::back_inserter(results_));
}

/// Whether it takes too long to hold steps to their limits again and again.
bool NodeCheck::is_too_much() const {
  if (!declared_.steps && !(declared_.tiled && judges::way_of_judging(node_.op) == "joint")) return false;
  const ir::Graph alone = ir::graph_of(node_.op, operands_.types());
  return ir::cost_of(alone, alone.nodes().front()).flops > most_flops_of_steps;
}

void NodeCheck::take_steps(const Steps& steps) {
  const auto run = [&](const ir::Op& op, const Operands& operands) { return candidate(op, operands); };
  std::ranges::move(check_pieces({executors_, node_.op, operands_, base_, run, lambda_}, steps, {n_, node_.label}),
                    std::back_inserter(results_));
}

std::vector<cases::RelationResult> NodeCheck::run() {
  base_ = candidate(node_.op, operands_);
  if (base_.report.placement == ir::Placement::cpu && !executors_.candidate_is_host) return {};
  const ir::TensorTypes in = operands_.types();
  declared_ = symmetries_of(node_.op, in, ir::infer(node_.op, in));
  if (y().elements() == 0) return {};
  const auto ask = [&](const auto& relation) {
    try {
      relation();
    } catch (const ir::Unsupported&) {  // a size that the candidate does not take, or no error model
    }
  };
  const bool is_too_much = this->is_too_much();
  if (!is_too_much || !declared_.tiled)
    for (const ir::Loop& loop : declared_.loops)
      if (loop.steps != ir::StepOrder::ordered) ask([&] { along(loop); });
  for (const Homogeneity& degree : declared_.homogeneous) {
    if (!ir::is_float(y().dtype())) break;
    ask([&] { scale(degree); });
    if (degree.linear) ask([&] { add_parts(degree); });
  }
  if (declared_.exchange) ask([&] { exchange(*declared_.exchange); });
  if (declared_.transform) ask([&] { keep_what_transforms_keep(*declared_.transform); });
  if (declared_.steps && !is_too_much) ask([&] { take_steps(*declared_.steps); });
  return std::move(results_);
}

}  // namespace

ir::TensorTypes Operands::types() const {
  ir::TensorTypes types;
  for (const ir::Tensor& x : tensors) types.push_back(x.type());
  return types;
}

std::vector<cases::RelationResult> check_node(const cases::Executors& executors, const ir::Graph& graph, std::size_t n,
                                              const Operands& operands, double lambda) {
  return NodeCheck(executors, graph, n, operands, lambda).run();
}

}  // namespace plumb::parity::checks::relations
