// Sends an output to the judge of its op, or to that of elements, and turns what comes back into a row.
#include "parity/judges/node_judge.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/cost.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/element/terms/lines.hpp"
#include "parity/element/terms/median_term.hpp"
#include "parity/judges/limits.hpp"
#include "parity/judges/units.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/range.hpp"

namespace plumb::parity::judges {
namespace {

constexpr double cheap_flops = 0x1p22;

/// Standard deviations that every limit of a node allows for: those of the run (verdict.md V52) or, where nobody says,
/// as many as a run asks for that has these outputs alone.
double lambda_of(const bounds::Manner& manner, const core::Segment& segment) {
  if (manner.arithmetic.deviations > 0) return manner.arithmetic.deviations;
  compare::FalseAlarms alone;
  for (const ir::Value v : segment.outputs) alone.n_limits += bounds::real_numbers_of(segment.graph.type(v));
  return alone.lambda();
}

bool is_same(const ir::Tensor& a, const ir::Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// The segment's operands, one by one, widened.
std::vector<ir::Tensor> operands_of(const settle::Subject& subject) {
  std::vector<ir::Tensor> wide;
  for (const ir::Value v : subject.segment.graph.nodes().front().inputs)
    wide.push_back(ir::passes::widen(subject.inputs[v]));
  return wide;
}

compare::Comparison compared(const OutputJudgement& output, const ir::TensorView& got, double lambda,
                             const std::optional<compare::MapExtents>& map = {}) {
  return output.ratio.empty() ? compare::compare(output.truth, got, output.allowed, map)
                              : comparison_of(output, got, lambda, map);
}

bool all_finite(const ir::TensorView& x, const OutputJudgement& output, std::size_t u) {
  if (ir::unit_roundoff(x.dtype()) == 0) return true;
  const ir::Tensor wide = ir::convert(x, ir::DType::c128);
  const auto parts = wide.as<std::complex<double>>();
  for (std::size_t i = 0; i < static_cast<std::size_t>(output.unit.length); ++i) {
    const std::complex<double> z = parts[output.element(u, i)];
    if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) return false;
  }
  return true;
}

/// Operands with half of their bits, in the dtypes of the widened graph; nothing where that changes none.
std::optional<ir::Feeds> with_fewer_bits(const settle::Subject& subject, ir::DType result) {
  ir::Feeds fed;
  bool differs = false;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    ir::Tensor wide = ir::passes::widen(subject.inputs[i]);
    const ir::DType dtype = subject.inputs[i].dtype();
    if (ir::unit_roundoff(dtype) > 0) {
      const ir::DType of_result = ir::unit_roundoff(result) > 0 ? result : dtype;
      const auto bits = [](ir::DType of) { return core::float_format(of).fraction_bits + 1; };
      const std::span<double> numbers(reinterpret_cast<double*>(wide.bytes().data()), wide.bytes().size() / 8);
      for (double& x : numbers) {
        const double less = core::with_bits(x, std::min(bits(dtype), bits(of_result)) / 2);
        differs |= less != x && !std::isnan(x);
        x = less;
      }
    }
    fed.emplace(subject.segment.graph.inputs()[i], std::move(wide));
  }
  return differs ? std::optional(std::move(fed)) : std::nullopt;
}

/// The segment's operand, widened, without the term of median size of each of its sums; nothing for ops whose sums are
/// not known.
std::optional<ir::Feeds> with_terms_missing(const settle::Subject& subject) {
  const ir::Node& node = subject.segment.graph.nodes().front();
  if (!node.op.is<ir::ops::Reduce>() || ir::is_complex(subject.inputs[0].dtype())) return std::nullopt;
  ir::Tensor x = ir::passes::widen(subject.inputs[0]);
  const std::int64_t count = subject.segment.graph.type(node.outputs[0]).shape.elements();
  const element::terms::Lines lines(x.shape(), node.op.as<ir::ops::Reduce>().axes);
  for (std::int64_t line = 0; line < count; ++line) {
    const std::vector<std::int64_t> elements = lines.elements(line);
    const auto missing = element::terms::median_term(x.as<double>(), {elements.begin(), elements.end()});
    if (missing) x.as<double>()[*missing] = 0;
  }
  ir::Feeds fed;
  fed.emplace(subject.segment.graph.inputs()[0], std::move(x));
  return fed;
}

/// How many steps output `k` shows of a recurrence that is judged step by step, each on the state that the candidate
/// went on from; 0 for any other output.
std::int64_t steps_on_own_states(const core::Segment& segment, std::size_t k) {
  const ir::Op& op = segment.graph.nodes().front().op;
  const ir::TensorType& type = segment.graph.type(segment.outputs.at(k));
  const bool is_recurrence = op.is<ir::ops::Rnn>() || op.is<ir::ops::Gru>() || op.is<ir::ops::Lstm>();
  return is_recurrence && type.shape.size() == 4 && type.dtype == core::compute_dtype(type.dtype) ? type.shape[0] : 0;
}

/// Elements of output `k` behind the last step of their sequence, which are 0 whatever the operands are.
template <class T>
std::uint64_t beyond_end_of(const T& op, const settle::Subject& subject, const ir::Shape& y) {
  const auto lengths = ir::kernels::recurrent_operands(op).lengths;
  if (!lengths || y.size() != 4 || y.elements() == 0) return 0;
  const ir::Value v = subject.segment.graph.nodes().front().inputs[*lengths];
  const ir::Tensor counts = ir::convert(subject.inputs[v], ir::DType::i64);
  std::int64_t steps = 0;
  for (const std::int64_t count : counts.as<std::int64_t>()) steps += std::max<std::int64_t>(0, y[0] - count);
  return static_cast<std::uint64_t>(steps * (y.elements() / (y[0] * y[2])));
}

std::uint64_t beyond_end(const settle::Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1) return 0;
  const ir::Op& op = graph.nodes().front().op;
  const ir::Shape& y = graph.type(subject.segment.outputs.at(k)).shape;
  if (op.is<ir::ops::Rnn>()) return beyond_end_of(op.as<ir::ops::Rnn>(), subject, y);
  if (op.is<ir::ops::Gru>()) return beyond_end_of(op.as<ir::ops::Gru>(), subject, y);
  return op.is<ir::ops::Lstm>() ? beyond_end_of(op.as<ir::ops::Lstm>(), subject, y) : 0;
}

/// The share of state sequences in which at least one step is refused. A fault shows in one step alone: the next steps
/// continue correctly from the faulty state.
cases::Sensitivity of_sequences(const OutputJudgement& judged, const ir::Tensor& got, std::int64_t steps) {
  const compare::Limit limit(judged.allowed, got.dtype());
  const ir::Tensor wide = ir::passes::widen(got);
  const auto y = std::as_const(judged.truth).as<double>(), c = wide.as<double>();
  const std::size_t count = y.size() / static_cast<std::size_t>(steps);
  cases::Sensitivity asked;
  std::uint64_t noticed = 0;
  for (std::size_t first = 0; first < count; ++first) {
    bool is_any = false, is_noticed = false;
    for (std::size_t i = first; i < y.size(); i += count) {
      if (limit.is_apart(i) || y[i] == 0) continue;  // beyond its length a sequence is 0
      is_any = true;
      is_noticed |= !(std::abs(c[i] - y[i]) <= limit.at(std::abs(y[i]), i));
    }
    asked.sampled += is_any;
    noticed += is_noticed;
  }
  if (asked.sampled > 0) asked.share = static_cast<double>(noticed) / static_cast<double>(asked.sampled);
  return asked;
}

}  // namespace

bool is_joint(const core::Segment& segment, const ExtraJudges* extra) {
  const ir::ErrorClass judged = segment.judged.error_class;
  if (judged == ir::ErrorClass::bits || judged == ir::ErrorClass::exact) return false;
  return segment.graph.nodes().size() == 1 && find_judge(segment.graph.nodes().front().op, extra).has_value();
}

bounds::Bounded evaluate(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                         const bounds::Manner& manner, const ExtraJudges* extra) {
  if (!is_joint(segment, extra)) return bounds::evaluate_bounded(reference, segment, fed, manner);
  const std::size_t count = segment.outputs.size();
  bounds::Bounded bounded{.truth = core::evaluate_widened(reference, segment, fed),
                          .allowed = std::vector<compare::Allowed>(count),
                          .uncertainty = std::vector<compare::Allowed>(count),
                          .lines = {}};
  for (const ir::Value v : segment.outputs)
    bounded.lines.push_back(compare::Line::of_last_axes(segment.graph.type(v).shape));
  return bounded;
}

bounds::Bounded evaluate_elements(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                  const bounds::Manner& manner, const ExtraJudges* extra) {
  if (!is_joint(segment, extra)) return bounds::evaluate_bounded(reference, segment, fed, manner);
  bounds::Bounded bounded = evaluate(reference, segment, fed, manner, extra);
  const ir::Node& node = segment.graph.nodes().front();
  std::vector<ir::Tensor> in, got;
  for (const ir::Value v : node.inputs) in.push_back(fed.at(segment.graph.inputs()[v]));
  for (std::size_t k = 0; k < segment.outputs.size(); ++k)
    got.push_back(ir::convert(bounded.truth.outputs[k], segment.graph.type(segment.outputs[k]).dtype));
  const Question question{reference,     segment, std::move(in), std::move(got),
                          bounded.truth, {},      manner,        lambda_of(manner, segment)};
  // Errors of all steps come together where nobody says what a step went on from: that is how definitions are judged.
  const Judgement judgement = judges::definitions::has_definition(node.op) ? judge_by_definition(question)
                                                                           : (*find_judge(node.op, extra))(question);
  const auto has_elements = [](const OutputJudgement& one) { return one.kind == cases::UnitKind::element; };
  if (!std::ranges::all_of(judgement.outputs, has_elements))
    return bounds::evaluate_bounded(reference, segment, fed, manner);
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) bounded.allowed[k] = judgement.outputs[k].allowed;
  return bounded;
}

std::uint64_t limits_of_chance(const core::Segment& segment, std::size_t k, const ExtraJudges* extra) {
  if (!is_joint(segment, extra)) return bounds::limits_of_chance(segment, k);
  return bounds::real_numbers_of(segment.graph.type(segment.outputs.at(k)));
}

NodeJudge::NodeJudge(const settle::Subject& subject, bounds::Bounded& bounded, std::vector<const ir::Tensor*> outputs,
                     const ExtraJudges* extra)
    : subject_(subject), bounded_(bounded), outputs_(std::move(outputs)) {
  if (is_joint(subject.segment, extra))
    judge_ = std::make_shared<const Judge>(*find_judge(subject.segment.graph.nodes().front().op, extra));
}

ElementJudge& NodeJudge::of_elements(std::size_t k) {
  return elements_.try_emplace(k, subject_, k, bounded_).first->second;
}

void NodeJudge::compare(std::size_t k, const ir::Tensor& got, cases::Measured& measured) {
  measured.units = {};
  if (judge_) return compare_jointly(k, got, measured);
  of_elements(k).compare(got, measured);
  measured.units.count = measured.local.n - measured.local.n_apart;
  measured.units.beyond = measured.local.n_bad;
}

const ir::Tensor& NodeJudge::truth(std::size_t k) const {
  const auto found = last_.find(k);
  return found == last_.end() ? bounded_.truth.outputs.at(k) : found->second.truth;
}

compare::Telling NodeJudge::telling(std::size_t k, const cases::NodeResult& result) const {
  const auto found = last_.find(k);
  if (found != last_.end() && !found->second.ratio.empty()) return telling_of(found->second, result.local);
  const ir::DType dtype = subject_.segment.graph.type(subject_.segment.outputs.at(k)).dtype;
  compare::Telling telling =
      compare::telling_of(truth(k), dtype, result.allowed, bounded_.lines.at(k), result.local, result.marked_bools);
  // Behind the end of its sequence an element is 0 whatever came in: it counts as those before it do.
  if (const std::uint64_t beyond = beyond_end(subject_, k); beyond < telling.elements)
    telling.informative = telling.informative * telling.elements / (telling.elements - beyond);
  return telling;
}

std::vector<ir::Tensor> NodeJudge::outputs_with(std::size_t k, const ir::Tensor& got) const {
  std::vector<ir::Tensor> outputs;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (i != k && outputs_[i] == nullptr)
      throw bounds::NoModel("'", subject_.segment.graph.nodes().front().op.name(), "' without its output ", i,
                            ", by which the others are judged");
    outputs.push_back(i == k ? got : *outputs_[i]);
  }
  return outputs;
}

Judgement NodeJudge::judgement_of(std::vector<ir::Tensor> outputs, bool looks_closely) {
  const Question question{
      subject_.reference, subject_.segment, operands_of(subject_), std::move(outputs),
      bounded_.truth,     subject_.sums,    subject_.manner,       lambda_of(subject_.manner, subject_.segment),
      looks_closely};
  Judgement judgement = (*judge_)(question);
  ir::require(judgement.outputs.size() == subject_.segment.outputs.size(), "the judge of '", question.op().name(),
              "' says nothing of some outputs");
  return judgement;
}

/// The judgement of output `k` with `got` in its place; kept where that is the candidate's own output.
OutputJudgement NodeJudge::judgement_of_output(std::size_t k, const ir::Tensor& got, bool looks_closely) {
  const bool is_candidates = outputs_.at(k) != nullptr && is_same(*outputs_[k], got);
  if (!is_candidates) return judgement_of(outputs_with(k, got), looks_closely).outputs.at(k);
  std::optional<Judgement>& known = looks_closely ? closely_of_candidate_ : of_candidate_;
  if (!known) known = judgement_of(outputs_with(k, got), looks_closely);
  return known->outputs.at(k);
}

void NodeJudge::compare_jointly(std::size_t k, const ir::Tensor& got, cases::Measured& measured) {
  measured.settled = {};
  measured.certificate = {};
  const double lambda = lambda_of(subject_.manner, subject_.segment);
  const auto map = settle::map_extents(subject_, k);
  OutputJudgement output;
  for (const bool looks_closely : {false, true}) {
    output = judgement_of_output(k, got, looks_closely);
    measured.local = compared(output, got, lambda, map);
    if (measured.local.agrees() && !(measured.local.ratio_finite > 0.5)) break;
  }
  if (!measured.local.agrees()) measured.settled.out_of_range = set_out_of_range_apart(k, got, output);
  if (measured.local.n_without_limit > 0 && output.ratio.empty())
    measured.settled.out_of_range += settle::set_unlimited_apart(output.truth, got.dtype(), output.allowed);
  if (measured.settled.out_of_range > 0) measured.local = compared(output, got, lambda, map);
  measured.allowed = output.allowed;
  measured.units = units_of(output, measured.local);
  bounded_.allowed.at(k) = output.allowed;
  if (output.uncertainty) {
    bounded_.uncertainty.at(k) = *output.uncertainty;
    has_uncertainty_[k] = true;
  }
  last_.insert_or_assign(k, std::move(output));
}

/// Units that are further off than any order of rounding explains, or not finite, and so is what the reference makes of
/// them in the candidate's own dtypes: an intermediate result leaves the range (verdict.md V34). Returns elements.
std::uint64_t NodeJudge::set_out_of_range_apart(std::size_t k, const ir::TensorView& got, OutputJudgement& output) {
  if (output.ratio.empty() || output.kind == cases::UnitKind::choice) return 0;
  const auto is_far = [](const OutputJudgement& one, std::size_t u, const ir::TensorView& c) {
    const bool is_finite = all_finite(c, one, u);
    const bool beyond = !one.certain.empty() && one.certain[u] > 1;
    return std::pair{!is_finite || beyond, is_finite};
  };
  std::uint64_t count = 0;
  for (std::size_t u = 0; u < output.units(); ++u) {
    if (output.ratio[u] <= 1 || is_apart(output.standing[u]) || output.standing[u] == Standing::not_finite) continue;
    const auto own = is_far(output, u, got);
    if (!own.first) continue;
    if (!of_native_) {
      native_ = core::evaluate(subject_.reference, subject_.segment, settle::native_feed(subject_)).outputs;
      of_native_ = judgement_of(native_, false);
    }
    const OutputJudgement& native = of_native_->outputs.at(k);
    if (u >= native.units() || native.ratio[u] <= 1 || is_far(native, u, native_[k]) != own) continue;
    output.standing[u] = Standing::wild;
    count += static_cast<std::uint64_t>(output.unit.length);
  }
  return count;
}

cases::Sensitivity NodeJudge::sensitivity(std::size_t k) {
  const auto found = last_.find(k);
  if (found == last_.end() || found->second.kind == cases::UnitKind::choice) return {};
  const ir::Graph& graph = subject_.segment.graph;
  double work = static_cast<double>(found->second.truth.elements());
  for (const ir::Node& node : graph.nodes()) work = std::max(work, ir::cost_of(graph, node).flops);
  if (work > cheap_flops) return {};
  const auto fed = with_fewer_bits(subject_, graph.type(subject_.segment.outputs[k]).dtype);
  if (!fed) return {};
  const cases::Sensitivity of_bits = sensitivity_to(*fed, k);
  const auto lacking = of_bits.share < 1 ? with_terms_missing(subject_) : std::nullopt;
  if (!lacking) return of_bits;
  const cases::Sensitivity of_terms = sensitivity_to(*lacking, k);
  return of_terms.share > of_bits.share ? of_terms : of_bits;  // at least as many are noticed by one of both
}

/// The share of output `k` that would be refused if it had been made of the operands `fed`, widened.
cases::Sensitivity NodeJudge::sensitivity_to(const ir::Feeds& fed, std::size_t k) {
  std::vector<ir::Tensor> faulty;
  const core::Evaluated evaluated = core::evaluate_widened(subject_.reference, subject_.segment, fed);
  for (std::size_t i = 0; i < evaluated.outputs.size(); ++i)
    faulty.push_back(ir::convert(evaluated.outputs[i], subject_.segment.graph.type(subject_.segment.outputs[i]).dtype));
  const OutputJudgement judged = judgement_of(faulty, false).outputs.at(k);
  if (const std::int64_t steps = steps_on_own_states(subject_.segment, k); steps > 1)
    return of_sequences(judged, faulty[k], steps);
  const compare::Comparison seen = compared(judged, faulty[k], lambda_of(subject_.manner, subject_.segment));
  cases::Sensitivity asked{.sampled = seen.n - seen.n_apart};
  if (asked.sampled > 0) asked.share = static_cast<double>(seen.n_bad) / static_cast<double>(asked.sampled);
  return asked;
}

std::string_view way_of_judging(const ir::Op& op) {
  if (find_judge(op)) return "joint";
  try {
    bounds::error_model(op);
    return "element";
  } catch (const bounds::NoModel&) {
    return "";
  }
}

}  // namespace plumb::parity::judges
