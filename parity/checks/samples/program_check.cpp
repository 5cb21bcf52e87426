// Holds the limits that a formula gives a whole tensor to the steps of element programs.
#include "parity/checks/samples/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <initializer_list>

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

constexpr std::size_t drawn = 16;
constexpr std::size_t most_steps = std::size_t{1} << 17;    // an element of more is not asked
constexpr std::size_t enough_steps = std::size_t{1} << 14;  // after these no other element is asked
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
  explicit Agreement(double unit) : unit_(unit) {}

  /// Whether something can be said of an element. Where an error is not small beside the result the first order says
  /// nothing, and where it is less than half a roundoff the formula knows that something is exact, as lines of equal
  /// numbers are.
  bool may_ask(double given, double certain_of_steps, double truth) const {
    const double size = std::abs(truth);
    return size > smallest && size < largest && given > unit_ * size / 2 && given < size / 8 &&
           certain_of_steps < size / 8;
  }
  bool is_probable(double given, double of_steps, double truth) const {
    return is_enough(given, of_steps) && given <= most_times * of_steps + most_roundoffs * unit_ * std::abs(truth);
  }
  static bool is_enough(double given, double of_steps) { return given >= of_steps * (1 - precision); }

 private:
  double unit_;
};

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

/// Nothing where the program has no answer, or names no sums.
std::optional<sums::ElementLimit> limit_of_element(const element::terms::Program& program, std::size_t i,
                                                   element::Tape& tape, sums::StepArithmetic& arithmetic) try {
  return sums::limit_of(tape, program.record(tape, static_cast<std::int64_t>(i)), arithmetic);
} catch (const element::NoAnswer&) {
  return std::nullopt;
}

bool may_be_asked(const settle::Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1) return false;
  const ir::Node& node = graph.nodes().front();
  const auto is_complex = [&](ir::Value v) { return ir::is_complex(graph.type(v).dtype); };
  return node.op.error_class() == ir::ErrorClass::comp && subject.segment.outputs.at(k) == node.outputs[0] &&
         ir::is_float(graph.type(node.outputs[0]).dtype) && std::ranges::none_of(node.inputs, is_complex) &&
         !subject.manner.arithmetic.is_foreign;
}

void write_limits(std::FILE* out, const ir::Node& node, std::size_t i, const element::Tape& tape,
                  std::initializer_list<double> numbers) {
  std::string line = ir::cat(node.op.name(), ' ', node.label, ' ', i, ' ', tape.size());
  for (const double x : numbers) line += fmt::format(" {}", x);
  double least = HUGE_VAL, most = 0, least_difference = HUGE_VAL;
  for (std::uint32_t at = 1; at < tape.size(); ++at) {
    const element::Step& step = tape[at];
    const double size = std::abs(step.value);
    if (size > 0) least = std::min(least, size);
    if (!(size <= most)) most = size;
    if (step.kind == element::Step::Kind::add)
      least_difference =
          std::min(least_difference, size / std::max(std::abs(tape[step.a].value), std::abs(tape[step.b].value)));
  }
  line += fmt::format(" {} {} {}\n", least, most, least_difference);
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

/// Elements of `y` that may be asked, as many as are the first in memory. Of a recurrence these are its first step from
/// the front: others are held to the state that the candidate went on from, and their programs have all steps before.
std::size_t elements_to_ask(const ir::Op& op, const ir::TensorType& y) {
  const auto of_first_step = [&](const auto& recurrence) -> std::size_t {
    if (recurrence.direction == ir::kernels::RecurrentDirection::reverse || y.shape[0] == 0) return 0;
    return static_cast<std::size_t>(y.shape[2] * y.shape[3]);
  };
  if (op.is<ir::ops::Rnn>()) return of_first_step(op.as<ir::ops::Rnn>());
  if (op.is<ir::ops::Gru>()) return of_first_step(op.as<ir::ops::Gru>());
  if (op.is<ir::ops::Lstm>()) return of_first_step(op.as<ir::ops::Lstm>());
  return static_cast<std::size_t>(y.shape.elements());
}

}  // namespace

std::FILE* limits_file() {
  static std::FILE* const file = [] {
    const char* const name = std::getenv("PLUMB_LIMITS_FILE");  // NOLINT(concurrency-mt-unsafe)
    return name == nullptr ? nullptr : std::fopen(name, "a");
  }();
  return file;
}

void check_program_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                          cases::OracleSample& found) {
  const auto& limits = bounded.allowed.at(k).limits;
  if (!limits || !may_be_asked(subject, k)) return;
  // Limits by runs in which roundings are random know nothing that is certain.
  if (limits->certain.elements() != bounded.truth.outputs.at(k).elements()) return;
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  const ir::TensorType& y = graph.type(node.outputs[0]);
  ir::Graph wide = ir::passes::widen(graph);
  const ir::Op op = wide.nodes()[*wide.producer(node.outputs[0])].op;
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph.type(v));
  bounds::ExpressionBuilder builder(wide);
  const bounds::Node asked{
      builder, op, {}, {}, 0, in, {y}, subject.manner.arithmetic, subject.manner.flushes_subnormals};
  const bool exact = bounds::has_exact_products(asked);
  sums::StepArithmetic arithmetic(asked.unit(), asked.lambda(), [&](ir::SumName name, bool exact_products) {
    bounds::Node part = asked.with_sum(name);
    if (node.op.is<ir::ops::LpNorm>()) part.arithmetic.sum.reset();  // its formula holds for every order
    return bounds::sum_arithmetic(part, exact && exact_products);
  });
  const Operands operands(subject, node);
  const element::terms::Program program(op, operands.numbers(), y.shape);
  const Agreement agreement(asked.unit());
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>();
  std::size_t steps = 0;
  element::Tape tape(most_steps);
  const std::size_t most = elements_to_ask(node.op, y);
  for (const std::size_t i : draws.some(drawn, most)) {
    if (steps > enough_steps) break;
    if (i < limits->apart.size() && limits->apart[i]) continue;
    tape.clear();
    const auto of_steps = limit_of_element(program, i, tape, arithmetic);
    if (!of_steps) break;
    steps += tape.size();
    const double probable = limits->probable.as<double>()[i], certain = limits->certain.as<double>()[i];
    if (std::FILE* const out = limits_file()) {
      write_limits(out, node, i, tape,
                   {probable, certain, of_steps->probable, of_steps->certain, truth[i], asked.unit()});
      continue;
    }
    if (!agreement.may_ask(probable, of_steps->certain, truth[i])) continue;
    ++found.limits;
    const bool is_probable = agreement.is_probable(probable, of_steps->probable, truth[i]);
    if (is_probable && Agreement::is_enough(certain, of_steps->certain)) continue;
    if (found.bad_limits++ > 0) continue;
    found.is_of_steps = true;
    found.limit_element = i;
    found.chance = is_probable ? certain : probable;
    found.chance_of_terms = is_probable ? of_steps->certain : of_steps->probable;
  }
}

}  // namespace plumb::parity::checks::samples
