// Loops iteration by iteration where there is a trace of them, else unrolled.
#include "parity/judges/control_flow.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/compare.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/expected/sign_runs.hpp"
#include "parity/judges/conditioning.hpp"
#include "parity/judges/limits.hpp"

namespace plumb::parity::judges {
namespace {

constexpr std::int64_t most_unrolled = 256;
bool is_real(const ir::TensorType& type) { return ir::unit_roundoff(type.dtype) > 0; }

/// The real numbers that decide a condition, as values of its graph; nothing where it is exact.
struct Compared {
  ir::Value a = 0, b = 0;
};
std::optional<Compared> compared_in(const ir::Graph& condition) {
  std::optional<Compared> found;
  for (const ir::Node& node : condition.nodes()) {
    if (!node.op.is<ir::ops::Compare>() || !is_real(condition.type(node.inputs[0]))) continue;
    if (found || node.outputs[0] != condition.results().at(0))
      throw bounds::NoModel("a loop whose condition compares real numbers before its last op");
    found = Compared{node.inputs[0], node.inputs[1]};
  }
  return found;
}

/// Adds a graph's nodes behind others, on these values for its inputs. Returns where its values are.
std::vector<ir::Value> append(ir::Graph& to, const ir::Graph& from, const std::vector<ir::Value>& inputs,
                              const std::string& label) {
  std::vector<ir::Value> place(from.value_count());
  for (ir::Value v = 0; v < inputs.size(); ++v) place[v] = inputs[v];
  for (const ir::Node& node : from.nodes()) {
    std::vector<ir::Value> operands;
    for (const ir::Value v : node.inputs) operands.push_back(place[v]);
    const auto made = to.add_all(label + node.label, node.op, operands);
    for (std::size_t i = 0; i < made.size(); ++i) place[node.outputs[i]] = made[i];
  }
  return place;
}

ir::Feeds fed(const ir::Graph& graph, const std::vector<ir::Tensor>& values) {
  ir::Feeds feeds;
  for (std::size_t i = 0; i < values.size(); ++i) feeds.emplace(graph.inputs()[i], ir::passes::widen(values[i]));
  return feeds;
}

/// What a condition said, and how firmly: the difference of what it compares, and how far that may be off. Of a
/// condition that is exact the margin is infinite.
struct Said {
  bool holds = false;
  double margin = infinite, limit = 0;
};

/// How far a condition is from what the candidate did, as the ratio of a decision.
double ratio_of(const Said& said, bool went_on) {
  if (said.holds == went_on) return 0;
  const double ratio = said.margin / said.limit;
  return std::isnan(ratio) ? infinite : ratio;
}

/// How far a value may be from a truth that is not rounded.
double limit_of(const compare::Allowed& allowed, double y, ir::DType dtype, std::size_t element) {
  using Rule = compare::Allowed::Rule;
  if (allowed.rule == Rule::within) return allowed.at(std::abs(y), dtype, element);
  // The truth of a rounded result is itself rounded, in f64.
  return allowed.rule == Rule::rounded ? compare::ulp_of(y, dtype) / 2 * (1 + 0x1p-20) : 0;
}

/// A condition on values that are known exactly.
Said say(const Question& question, const ir::Graph& condition, const std::vector<ir::Tensor>& values) {
  const ir::Feeds feeds = fed(condition, values);
  Said said;
  const ir::Value result = condition.results().at(0);
  const auto made = question.reference.run(ir::passes::widen(condition), feeds, {result});
  said.holds = made.at(result).bytes()[0] != std::byte{0};
  const auto by = compared_in(condition);
  if (!by) return said;
  double difference = 0;
  said.limit = 0;
  const auto add = [&](ir::Value v, double sign) {
    if (condition.is_source(v)) return void(difference += sign * feeds.at(condition.inputs()[v]).as<double>()[0]);
    core::Segment segment{.graph = condition, .fed = {}, .outputs = {v}, .judged = {}};
    segment.judged.error_class = ir::ErrorClass::comp;
    bounds::Manner manner = question.manner;
    manner.arithmetic.deviations = question.lambda;
    const auto bounded = bounds::evaluate_bounded(question.reference, segment, feeds, manner);
    const double y = bounded.truth.outputs[0].as<double>()[0];
    difference += sign * y, said.limit += limit_of(bounded.allowed[0], y, condition.type(v).dtype, 0);
  };
  add(by->a, 1), add(by->b, -1);
  said.margin = std::abs(difference);
  return said;
}

/// Reads the number of iterations off: the largest ratio of what the condition said before and after each.
OutputJudgement judge_count(const Question& question, std::size_t k, const Loop& loop, std::int64_t count,
                            const std::vector<Said>& said) {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  output.truth = question.truth.outputs.at(k);
  double ratio = count < 0 || count > loop.most ? infinite : 0;
  Deciding by;
  for (std::size_t t = 0; t < said.size() && ratio < infinite; ++t) {
    const bool went_on = static_cast<std::int64_t>(t) < count;
    if (!went_on && count == loop.most) break;  // the bound stops it, whatever the condition
    const double one = ratio_of(said[t], went_on);
    if (one >= ratio) by = {one > 0 ? said[t].margin : 0, said[t].limit, 2 * std::max(said[t].margin, said[t].limit)};
    ratio = std::max(ratio, one);
  }
  if (ratio == infinite) by.margin = infinite;
  const auto own = static_cast<double>(question.truth.outputs.at(k).as<std::int64_t>()[0]);
  DecisionReader reader;
  reader.read("iterations", 0, static_cast<double>(count), own, by);
  output.decisions = reader.take();
  output.ratio = {ratio}, output.standing = {Standing::informative};
  if (ratio <= 1) output.truth = question.got.at(k);
  return output;
}

/// One carried value after an iteration against what the body makes of those before it.
void raise_ratios(const ir::Tensor& after, const ir::TensorType& type, const compare::Allowed& allowed,
                  OutputJudgement& output) {
  const ir::Tensor got = ir::convert(after, ir::DType::f64), truth = ir::convert(output.truth, ir::DType::f64);
  const auto c = got.as<double>(), y = truth.as<double>();
  const compare::Limit within(allowed, type.dtype);
  output.sigma.resize(output.ratio.size(), compare::not_computed);
  for (std::size_t e = 0; e < output.ratio.size(); ++e) {
    const double error = std::abs(c[e] - y[e]), limit = is_real(type) ? limit_of(allowed, y[e], type.dtype, e) : 0;
    const double ratio = is_alike(y[e], c[e]) ? 0 : limit > 0 && std::isfinite(error) ? error / limit : infinite;
    output.ratio[e] = std::max(output.ratio[e], ratio);
    if (!within.knows_chance() || is_alike(y[e], c[e])) continue;
    const double sigma = in_deviations(error, limit, within.chance_at(std::abs(y[e]), e), allowed.lambda);
    if (!std::isnan(sigma) && !(sigma <= output.sigma[e])) output.sigma[e] = sigma;
  }
}

/// One iteration's values against the body on those before it.
void judge_iteration(const Question& question, const ir::Graph& body, const std::vector<ir::Tensor>& before,
                     const std::vector<ir::Tensor>& after, std::vector<OutputJudgement>& outputs) {
  core::Segment segment{.graph = body, .fed = {}, .outputs = {}, .judged = {}};
  segment.judged.error_class = ir::ErrorClass::comp;
  for (const ir::Value v : body.results())
    if (!body.is_source(v)) segment.outputs.push_back(v);
  bounds::Manner manner = question.manner;
  manner.arithmetic.deviations = question.lambda;
  bounds::Bounded bounded;
  if (!segment.outputs.empty())
    bounded = bounds::evaluate_bounded(question.reference, segment, fed(body, before), manner);
  std::size_t computed = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ir::Value v = body.results()[i];
    const bool is_handed_on = body.is_source(v);  // then it is what it was, in every bit
    outputs[i].truth = is_handed_on ? ir::passes::widen(before[v]) : bounded.truth.outputs[computed];
    raise_ratios(after[i], body.type(v), is_handed_on ? compare::Allowed{} : bounded.allowed[computed], outputs[i]);
    computed += is_handed_on ? 0 : 1;
  }
}

std::vector<OutputJudgement> blank(const Question& question, std::size_t carried, Standing standing) {
  std::vector<OutputJudgement> outputs(carried);
  for (std::size_t i = 0; i < carried; ++i) {
    const auto count = static_cast<std::size_t>(question.got.at(i).elements());
    outputs[i].truth = question.truth.outputs.at(i);
    outputs[i].ratio.assign(count, 0), outputs[i].standing.assign(count, standing);
  }
  return outputs;
}

Judgement judge_traced(const Question& question, const Loop& loop, const Trace& trace, std::int64_t count) {
  const std::size_t carried = question.got.size() - 1;
  Judgement judgement{blank(question, carried, Standing::informative)};
  std::vector<Said> said;
  for (std::size_t t = 0; t < trace.size(); ++t) {
    said.push_back(say(question, loop.condition, trace[t]));
    if (t > 0) judge_iteration(question, loop.body, trace[t - 1], trace[t], judgement.outputs);
  }
  for (std::size_t i = 0; i < carried; ++i) {  // it begins with the operands and ends with the results
    const bool begins = std::ranges::equal(ir::passes::widen(trace.front()[i]).bytes(), question.in.at(i).bytes());
    const bool ends = std::ranges::equal(trace.back()[i].bytes(), question.got.at(i).bytes());
    if (!begins || !ends) std::ranges::fill(judgement.outputs[i].ratio, infinite);
    if (count == 0) judgement.outputs[i].truth = question.in.at(i);
  }
  judgement.outputs.push_back(judge_count(question, carried, loop, count, said));
  return judgement;
}

Judgement judge_unrolled(const Question& question, const Loop& loop, std::int64_t count) {
  const std::size_t carried = question.got.size() - 1;
  definitions::Definition unrolled;
  std::vector<ir::Value> values;
  for (std::size_t i = 0; i < carried; ++i)
    values.push_back(unrolled.graph.input(ir::cat('x', i), question.out_type(i)));
  unrolled.operands = values;
  const auto by = compared_in(loop.condition);
  std::vector<ir::Value> holds, a, b;
  for (std::int64_t t = 0; t <= count; ++t) {
    const auto tests = append(unrolled.graph, loop.condition, values, ir::cat("condition ", t, ' '));
    holds.push_back(tests[loop.condition.results()[0]]);
    if (by) a.push_back(tests[by->a]), b.push_back(tests[by->b]);
    if (t == count) break;
    const auto made = append(unrolled.graph, loop.body, values, ir::cat("iteration ", t, ' '));
    for (std::size_t i = 0; i < carried; ++i) values[i] = made[loop.body.results()[i]];
  }
  std::vector<ir::Value> wanted = holds;
  wanted.insert(wanted.end(), a.begin(), a.end()), wanted.insert(wanted.end(), b.begin(), b.end());
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto spreads = expected::spread_of(question.reference, unrolled.graph, feeds_of(question, unrolled, {}), wanted,
                                           {}, {8, question.lambda});
  std::vector<Said> said;
  for (std::size_t t = 0; t < holds.size(); ++t) {
    Said& one = said.emplace_back(Said{.holds = spreads.at(holds[t]).truth.bytes()[0] != std::byte{0}});
    if (!by) continue;
    const expected::Spread &left = spreads.at(a[t]), &right = spreads.at(b[t]);
    const double v = left.variance.as<double>()[0] + right.variance.as<double>()[0];
    const double size = std::abs(left.truth.as<double>()[0]) + std::abs(right.truth.as<double>()[0]);
    one.margin = std::abs(left.truth.as<double>()[0] - right.truth.as<double>()[0]);
    one.limit = question.lambda * std::sqrt(2 * v) + question.unit(0) * size;
  }
  for (const ir::Value v : values) unrolled.graph.returns(v);
  Judgement judgement;
  if (count > 0) judgement = propagated(question, unrolled);
  if (count == 0) judgement.outputs = blank(question, carried, Standing::informative);
  for (std::size_t i = 0; i < carried && count == 0; ++i) {
    judgement.outputs[i].truth = question.in.at(i);
    if (!std::ranges::equal(ir::passes::widen(question.got[i]).bytes(), question.in[i].bytes()))
      std::ranges::fill(judgement.outputs[i].ratio, infinite);
  }
  judgement.outputs.push_back(judge_count(question, carried, loop, count, said));
  return judgement;
}

}  // namespace

Judgement judge_loop(const Question& question, const Loop& loop, const Trace* trace) {
  const std::size_t carried = question.got.size() - 1;
  const std::int64_t count = question.got.at(carried).as<std::int64_t>()[0];
  // Results that are not the candidate's, as those of a fault that is planted, may have other iterations than it kept.
  const bool is_traced = trace != nullptr && static_cast<std::int64_t>(trace->size()) == count + 1;
  if (count >= 0 && count <= loop.most && is_traced) return judge_traced(question, loop, *trace, count);
  if (count >= 0 && count <= std::min(loop.most, most_unrolled)) return judge_unrolled(question, loop, count);
  const bool is_possible = count >= 0 && count <= loop.most;
  Judgement judgement{blank(question, carried, Standing::untraced)};
  judgement.outputs.push_back(judge_count(question, carried, loop, count, {}));
  if (is_possible) judgement.outputs.back().standing = {Standing::untraced};
  return judgement;
}

}  // namespace plumb::parity::judges
