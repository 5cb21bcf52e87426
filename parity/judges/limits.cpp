// Limits of elements: made by a judge, by the error models of a definition, or by sign runs over one.
#include "parity/judges/limits.hpp"

#include <algorithm>
#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/parallel.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::judges {

compare::Allowed held_to(const Question& question, std::size_t k, compare::Limits limits) {
  const ir::DType dtype = question.out_type(k).dtype, computed = core::compute_dtype(dtype);
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within};
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  allowed.lambda = question.lambda;
  allowed.absolute = core::float_format(computed).ulp(0);  // below the smallest normal nothing is relative
  allowed.storage = dtype == computed || ir::is_complex(dtype) ? 0 : 0.5;
  if (question.manner.flushes_subnormals) allowed.subnormal = core::float_format(computed).smallest_normal();
  return allowed;
}

OutputJudgement elements_within(const Question& question, std::size_t k, Limited limited) {
  OutputJudgement output;
  output.truth = std::move(limited.truth);
  output.allowed =
      held_to(question, k, {std::move(limited.probable), std::move(limited.certain), {}, std::move(limited.chance)});
  return output;
}

sums::ElementLimit limit_of_sum(const Question& question, const element::terms::ElementSum& sum,
                                const sums::Arithmetic& arithmetic) {
  sums::ElementLimit limit = sums::limit_of(sum, arithmetic, question.lambda);
  if (!question.looks_closely) return limit;
  const double creep = sums::wide_limit(sum, arithmetic, question.lambda) - limit.probable;
  if (creep > 0) {
    limit.probable += creep;
    limit.fixed += creep;
  }
  return limit;
}

ir::Feeds widened_feeds_of(const Question& question, const judges::definitions::Definition& definition,
                           const ir::Feeds& own) {
  ir::Feeds fed;
  for (std::size_t i = 0; i < definition.operands.size(); ++i)
    fed.emplace(definition.graph.inputs()[definition.operands[i]], question.in.at(i));
  for (const auto& [name, tensor] : own) fed.insert_or_assign(name, ir::passes::widen(tensor));
  return fed;
}

ir::Feeds feeds_of(const Question& question, const judges::definitions::Definition& definition, const ir::Feeds& own) {
  ir::Feeds fed = widened_feeds_of(question, definition, own);
  for (auto& [name, tensor] : fed)
    tensor = ir::convert(tensor, definition.graph.type(*definition.graph.find(name)).dtype);
  return fed;
}

namespace {

using LimitOfSum = std::function<sums::ElementLimit(const element::terms::ElementSum&, const sums::Arithmetic&)>;

/// The limits of all sums of a graph by their own terms, as nobody knows in which order they are added (verdict.md V16,
/// V17).
bounds::KnownErrors sums_by_terms(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& feeds,
                                  const bounds::Manner& manner, const LimitOfSum& limit_of) {
  std::vector<const ir::Node*> nodes;
  std::vector<ir::Value> operands;
  for (const ir::Node& node : segment.graph.nodes()) {
    if (node.outputs.size() != 1 || !ir::is_float(segment.graph.type(node.outputs[0]).dtype)) continue;
    nodes.push_back(&node);
    for (const ir::Value v : node.inputs)
      if (!segment.graph.is_source(v)) operands.push_back(v);
  }
  ir::Tensors computed;
  if (!operands.empty()) computed = reference.run(ir::passes::widen(segment.graph), feeds, operands);
  bounds::KnownErrors known;
  for (const ir::Node* const node : nodes) {
    std::vector<ir::Tensor> wide;
    for (const ir::Value v : node->inputs)
      wide.push_back(segment.graph.is_source(v) ? feeds.at(segment.graph.inputs()[v]) : computed.at(v));
    const auto summing = settle::sums_of(segment.graph, *node, std::move(wide), manner);
    if (!summing) continue;
    const ir::Tensor none({ir::DType::f64, summing->shape});
    compare::Limits limits{none, none, {}, none};
    const auto probable = limits.probable.as<double>(), certain = limits.certain.as<double>(),
               chance = limits.chance->as<double>();
    core::for_each_piece(probable.size(), core::workers_for(probable.size()), [&](std::size_t i, std::size_t) {
      const element::terms::ElementSum sum = summing->at(i);
      const sums::ElementLimit limit = limit_of(sum, summing->arithmetic);
      double made = 0;
      for (const element::terms::Product& term : sum.terms) made += term.value();
      const double stored = summing->stored * std::abs(made * sum.scale / sum.divisor);
      probable[i] = limit.probable + stored;
      certain[i] = limit.certain + stored;
      chance[i] = limit.probable - limit.fixed;
    });
    known.emplace(summing->sum, std::move(limits));
  }
  return known;
}

}  // namespace

std::vector<Limited> limits_of(const Question& question, const judges::definitions::Definition& definition,
                               const ir::Feeds& own, double lambda) {
  core::Segment segment{.graph = definition.graph, .fed = {}, .outputs = definition.graph.results(), .judged = {}};
  segment.judged.error_class = ir::ErrorClass::comp;
  bounds::Manner manner = question.manner;
  // The kernel's record describes its own sums, not the definition's: these count as chains, with the kernel's unit.
  manner.arithmetic.sum.reset();
  manner.arithmetic.sums.clear();
  manner.arithmetic.deviations = lambda;
  const ir::Feeds feeds = widened_feeds_of(question, definition, own);
  const auto limit_of = [&](const element::terms::ElementSum& sum, const sums::Arithmetic& arithmetic) {
    return limit_of_sum(question, sum, arithmetic);
  };
  const bounds::KnownErrors known = question.looks_closely
                                        ? sums_by_terms(question.reference, segment, feeds, manner, limit_of)
                                        : bounds::KnownErrors{};
  const bounds::Bounded bounded = bounds::evaluate_bounded(question.reference, segment, feeds, manner, known);
  std::vector<Limited> found;
  for (std::size_t k = 0; k < segment.outputs.size(); ++k) {
    const compare::Allowed& allowed = bounded.allowed[k];
    const compare::Limit limit(allowed, definition.graph.type(segment.outputs[k]).dtype);
    Limited& one = found.emplace_back(bounded.truth.outputs[k].shape());
    one.truth = bounded.truth.outputs[k];
    const auto y = std::as_const(one.truth).as<double>();
    if (limit.knows_chance()) one.chance.emplace(one.truth.type());
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (one.chance) one.chance->as<double>()[i] = limit.chance_at(std::abs(y[i]), i);
      one.probable.as<double>()[i] = limit.at(std::abs(y[i]), i);
      one.certain.as<double>()[i] =
          limit.knows_certain() ? limit.certain_at(std::abs(y[i]), i) : limit.at(std::abs(y[i]), i);
    }
  }
  return found;
}

Judgement judge_composed(const Question& question, const judges::definitions::Definition& definition,
                         const ir::Feeds& own) {
  Judgement judgement;
  std::vector<Limited> limits = limits_of(question, definition, own, question.lambda);
  for (std::size_t k = 0; k < limits.size(); ++k)
    judgement.outputs.push_back(elements_within(question, k, std::move(limits[k])));
  return judgement;
}

namespace {

constexpr unsigned sign_runs = 8;

/// How far elements of a node may be off by chance: of sums, where these are looked at closely, in the worst order of
/// several. What creeps in them sign runs have anyway.
bounds::runs::Evaluate deviations_for(const Question& question) {
  if (!question.looks_closely) return bounds::runs::evaluate_by_error_models;
  return [](ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed, const bounds::Manner& manner) {
    const auto limit_of = [&](const element::terms::ElementSum& sum, const sums::Arithmetic& arithmetic) {
      return sums::limit_of(sum, arithmetic, manner.arithmetic.deviations);
    };
    return bounds::evaluate_bounded(reference, segment, fed, manner,
                                    sums_by_terms(reference, segment, fed, manner, limit_of));
  };
}

/// Those of elements that are within half of the limits that a tensor has at first are these.
void keep_unless_open(const compare::Limits& first, const Question& question, std::size_t k, const ir::Tensor& truth,
                      compare::Limits& limits) {
  const ir::Tensor got = ir::convert(question.got[k], ir::DType::f64);
  const auto y = truth.as<double>(), c = got.as<double>(), at_first = first.probable.as<double>();
  const auto probable = limits.probable.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i)
    if (2 * std::abs(c[i] - y[i]) <= at_first[i]) probable[i] = at_first[i];
}

/// The limits of elements, those included that hang on a choice.
compare::Limits limits_at(const bounds::runs::Spread& spread, double lambda) {
  compare::Limits limits = bounds::runs::limits_of(spread, lambda);
  bounds::runs::add_choices(spread, limits);
  return limits;
}

/// Integers and bools that hang on an open choice are one of what it leaves, which says little. The others are as they
/// are.
void judge_whole(const ir::Tensor& got, const bounds::runs::Spread& spread, OutputJudgement& output) {
  output.kind = cases::UnitKind::choice;
  const std::size_t width = ir::info(got.dtype()).bytes, count = static_cast<std::size_t>(got.elements());
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_equal = std::ranges::equal(got.bytes().subspan(i * width, width),
                                             std::as_const(output.truth).bytes().subspan(i * width, width));
    const bool is_left_open = spread.is_open(i) && bounds::runs::admits(*spread.admissible, got, i);
    output.ratio.push_back(is_equal ? 0 : std::numeric_limits<double>::infinity());
    output.standing.push_back(is_left_open ? Standing::flagged : Standing::informative);
  }
}

}  // namespace

Judgement propagated(const Question& question, const judges::definitions::Definition& definition,
                     const ir::Feeds& own) {
  const auto& results = definition.graph.results();
  const auto run = [&](const bounds::runs::Evaluate& deviations) {
    return bounds::runs::spread_of(question.reference, definition.graph, feeds_of(question, definition, own), results,
                                   {}, {sign_runs, question.lambda}, deviations);
  };
  const auto spreads = run(deviations_for(question));
  const auto at_first = question.looks_closely ? run(bounds::runs::evaluate_by_error_models) : decltype(spreads){};
  Judgement judgement;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const bounds::runs::Spread& spread = spreads.at(results[k]);
    OutputJudgement& output = judgement.outputs.emplace_back();
    output.truth = spread.truth;
    if (ir::unit_roundoff(question.out_type(k).dtype) == 0) {
      judge_whole(question.got[k], spread, output);
      continue;
    }
    compare::Limits limits = limits_at(spread, question.lambda);
    if (question.looks_closely && ir::is_float(question.out_type(k).dtype))
      keep_unless_open(limits_at(at_first.at(results[k]), question.lambda), question, k, spread.truth, limits);
    output.allowed = held_to(question, k, std::move(limits));
    output.allowed.relative = question.unit(k);
  }
  return judgement;
}

Judgement judge_by_definition(const Question& question) {
  ir::TensorTypes types;
  for (const ir::Value v : question.segment.graph.nodes().front().inputs)
    types.push_back(question.segment.graph.type(v));
  return propagated(question, *judges::definitions::find_definition(question.op(), types));
}

}  // namespace plumb::parity::judges
