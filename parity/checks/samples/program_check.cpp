// Holds the limits that a formula gives a whole tensor to the steps of element programs.
#include "parity/checks/samples/program_check.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "ir/cost.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/element/terms/recorded.hpp"
#include "parity/sums/tape_limit.hpp"

namespace plumb::parity::checks::samples {
namespace {

/// How much is asked, and what has to come of it for a limit to be called wrong.
struct Asking {
  std::size_t drawn;  ///< elements that are looked at, until `enough` were asked
  std::size_t enough;
  std::size_t most_steps;    ///< an element of more is not asked
  std::size_t enough_steps;  ///< after these no other element is asked
  double margin;             ///< times that limits may be too small; too large they may be by its square
  bool is_of_all;            ///< two elements are asked at least, and none of them is right
};
constexpr std::size_t few_steps = std::size_t{1} << 13;  ///< after these two elements are enough for a run
constexpr Asking of_each{16, 16, std::size_t{1} << 17, std::size_t{1} << 14, 1, false};
constexpr Asking in_runs{8, 3, std::size_t{1} << 15, std::size_t{1} << 15, 2, true};
/// Limits and adjoints are evaluated in f64, and the second order of errors is not on the tape.
constexpr double precision = 0x1p-10;
/// How much a formula may allow beyond the steps of an element: as many times, and so many roundoffs of the result
/// besides. It knows of no errors that cancel, as those of an exponential in a sum and above it do, and of no terms
/// that are equal. Over all fixtures it is 11 times at most.
constexpr double most_times = 16, most_roundoffs = 60;
/// Results between these are far from where numbers vanish, overflow or are scaled to avoid it.
constexpr double smallest = 0x1p-100, largest = 0x1p100;

/// Whether a limit of the whole tensor is that of an element.
class Agreement {
 public:
  Agreement(double unit, double margin) : unit_(unit), margin_(margin) {}

  /// Whether something can be said of an element. Where an error is not small beside the result the first order says
  /// nothing, and where it is less than half a roundoff the formula knows that something is exact, as lines of equal
  /// numbers are.
  bool may_ask(double given, double certain_of_steps, double truth) const {
    const double size = std::abs(truth);
    return size > smallest && size < largest && given > unit_ * size / 2 && given < size / 8 &&
           certain_of_steps < size / 8;
  }
  bool is_probable(double given, double of_steps, double truth) const {
    return is_enough(given, of_steps) &&
           given <= margin_ * margin_ * (most_times * of_steps + most_roundoffs * unit_ * std::abs(truth));
  }
  bool is_enough(double given, double of_steps) const { return margin_ * given >= of_steps * (1 - precision); }

 private:
  double unit_, margin_;
};

/// Whether all numbers on the way to a result are far from where they vanish or overflow.
bool is_ordinary(const element::Tape& tape) {
  for (std::uint32_t at = 1; at < tape.size(); ++at) {
    const double size = std::abs(tape[at].value);
    if (tape[at].kind != element::Step::Kind::constant && size != 0 && !(size > 0x1p-64 && size < 0x1p64)) return false;
  }
  return true;
}

bool is_recurrence(const ir::Op& op) {
  return op.is<ir::ops::Rnn>() || op.is<ir::ops::Gru>() || op.is<ir::ops::Lstm>();
}

/// The operands of a node in f64.
class Operands {
 public:
  Operands(const settle::Subject& subject, const ir::Node& node) {
    const ir::Graph& graph = subject.segment.graph;
    for (const ir::Value v : node.inputs) {
      const ir::Tensor* const given = subject.widened ? &subject.widened->at(graph.inputs()[v]) : nullptr;
      if (given != nullptr && given->dtype() == ir::DType::f64) {
        numbers_.push_back({given->as<double>(), given->shape()});
        continue;
      }
      ir::Tensor wide = given != nullptr ? *given : ir::passes::widen(subject.inputs[v]);
      kept_.push_back(wide.dtype() == ir::DType::f64 ? std::move(wide) : ir::convert(wide, ir::DType::f64));
      numbers_.push_back({std::as_const(kept_.back()).as<double>(), kept_.back().shape()});
    }
  }
  std::span<const element::terms::Operand> numbers() const { return numbers_; }

 private:
  std::deque<ir::Tensor> kept_;
  std::vector<element::terms::Operand> numbers_;
};

/// Whether a kernel may round what it sums to a narrower type, of which programs know nothing.
bool rounds_terms(const ir::Sum& sum) {
  return sum.unit == ir::SumUnit::matrix || ir::unit_roundoff(sum.accumulator) > ir::unit_roundoff(ir::DType::f32);
}

bool may_be_asked(const settle::Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1) return false;
  const ir::Node& node = graph.nodes().front();
  if (node.inputs.empty() || ir::cost_of(graph, node).contraction < 2) return false;
  const auto is_complex = [&](ir::Value v) { return ir::is_complex(graph.type(v).dtype); };
  return node.op.error_class() == ir::ErrorClass::comp && subject.segment.outputs.at(k) == node.outputs[0] &&
         ir::is_float(graph.type(node.outputs[0]).dtype) && std::ranges::none_of(node.inputs, is_complex) &&
         !subject.manner.arithmetic.is_foreign && std::ranges::none_of(subject.sums, rounds_terms);
}

/// A node whose elements are asked, and how it rounds.
class Asked {
 public:
  Asked(const settle::Subject& subject, const ir::Node& node)
      : op_(node.op),
        y_(subject.segment.graph.type(node.outputs[0])),
        wide_(ir::passes::widen(subject.segment.graph)),
        of_truth_(wide_.nodes()[*wide_.producer(node.outputs[0])].op),
        builder_(wide_),
        operands_(subject, node),
        program_(of_truth_, operands_.numbers(), y_.shape),
        node_{builder_,
              of_truth_,
              {},
              {},
              0,
              types_of(subject.segment.graph, node),
              {y_},
              subject.manner.arithmetic,
              subject.manner.flushes_subnormals},
        has_exact_products_(bounds::has_exact_products(node_)),
        arithmetic_(node_.unit(), node_.lambda(),
                    [this](ir::SumName name, bool exact) { return of_sum(name, exact); }) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  const ir::Op& op() const { return op_; }
  double unit() const { return node_.unit(); }

  /// Nothing where the program has no answer, or names no sums.
  std::optional<sums::ElementLimit> limit(std::size_t i, element::Tape& tape) try {
    return sums::limit_of(tape, program_.record(tape, static_cast<std::int64_t>(i)), arithmetic_);
  } catch (const element::NoAnswer&) {
    return std::nullopt;
  } catch (const ir::Error&) {
    return std::nullopt;  // the program asks for another dtype than f64, as none does that names sums
  }

  /// Elements that may be asked, as many as are the first in memory. Of a recurrence these are its first step from the
  /// front: others are held to the state that the candidate went on from, and their programs have all steps before.
  std::size_t elements() const {
    const auto of_first_step = [&](const auto& recurrence) -> std::size_t {
      if (recurrence.direction == ir::kernels::RecurrentDirection::reverse || y_.shape[0] == 0) return 0;
      return static_cast<std::size_t>(y_.shape[2] * y_.shape[3]);
    };
    if (op_.is<ir::ops::Rnn>()) return of_first_step(op_.as<ir::ops::Rnn>());
    if (op_.is<ir::ops::Gru>()) return of_first_step(op_.as<ir::ops::Gru>());
    if (op_.is<ir::ops::Lstm>()) return of_first_step(op_.as<ir::ops::Lstm>());
    return static_cast<std::size_t>(y_.shape.elements());
  }

 private:
  static ir::TensorTypes types_of(const ir::Graph& graph, const ir::Node& node) {
    ir::TensorTypes types;
    for (const ir::Value v : node.inputs) types.push_back(graph.type(v));
    return types;
  }

  sums::Arithmetic of_sum(ir::SumName name, bool exact) const {
    bounds::Node part = node_.with_sum(name);
    if (op_.is<ir::ops::LpNorm>()) part.arithmetic.sum.reset();  // its formula holds for every order
    return bounds::sum_arithmetic(part, has_exact_products_ && exact);
  }

  const ir::Op op_;
  const ir::TensorType y_;
  ir::Graph wide_;
  const ir::Op of_truth_;
  bounds::ExpressionBuilder builder_;
  const Operands operands_;
  const element::terms::Program program_;
  const bounds::Node node_;
  const bool has_exact_products_;
  sums::StepArithmetic arithmetic_;
};

/// Holds limits of elements to their steps.
cases::OracleSample held_to_steps(Asked& asked, const compare::Limits& limits, std::span<const double> truth,
                                  Draws& draws, const Asking& asking) {
  // The program of a recurrence rounds its sums of inputs and of states apart, which kernels may make as one.
  const Agreement agreement(asked.unit(), asking.margin * (is_recurrence(asked.op()) ? 4.0 / 3 : 1));
  cases::OracleSample held;
  std::size_t steps = 0;
  element::Tape tape(asking.most_steps);
  for (const std::size_t i : draws.some(asking.drawn, asked.elements())) {
    if (steps > asking.enough_steps || held.limits >= asking.enough) break;
    if (asking.is_of_all && held.limits > 1 && steps > few_steps) break;
    if (i < limits.apart.size() && limits.apart[i]) continue;
    tape.clear();
    const auto of_steps = asked.limit(i, tape);
    if (!of_steps) break;
    steps += tape.size();
    const double probable = limits.probable.as<double>()[i], certain = limits.certain.as<double>()[i];
    if (!agreement.may_ask(probable, of_steps->certain, truth[i])) continue;
    if (asking.is_of_all && !is_ordinary(tape)) continue;
    ++held.limits;
    const bool is_probable = agreement.is_probable(probable, of_steps->probable, truth[i]);
    if (is_probable && agreement.is_enough(certain, of_steps->certain)) continue;
    if (held.bad_limits++ > 0) continue;
    held.is_of_steps = true;
    held.limit_element = i;
    held.chance = is_probable ? certain : probable;
    held.chance_of_terms = is_probable ? of_steps->certain : of_steps->probable;
  }
  const bool is_bad = held.bad_limits > (asking.is_of_all ? 1 : 0);
  if (!is_bad || (asking.is_of_all && held.bad_limits < held.limits)) return {.limits = held.limits};
  return held;
}

}  // namespace

void check_program_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                          ProgramEffort effort, cases::OracleSample& found) {
  const auto& limits = bounded.allowed.at(k).limits;
  if (!limits || !may_be_asked(subject, k)) return;
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>();
  // Limits by runs in which roundings are random know nothing that is certain.
  if (limits->certain.as<double>().size() != truth.size()) return;
  Asked asked(subject, subject.segment.graph.nodes().front());
  const cases::OracleSample held =
      held_to_steps(asked, *limits, truth, draws, effort == ProgramEffort::of_each ? of_each : in_runs);
  found.limits += held.limits;
  if (held.bad_limits == 0) return;
  found.bad_limits += held.bad_limits;
  found.is_of_steps = true;
  found.limit_element = held.limit_element;
  found.chance = held.chance;
  found.chance_of_terms = held.chance_of_terms;
}

}  // namespace plumb::parity::checks::samples
