// Joins the cases of a decoder's run.
#include "parity/report/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/report/report.hpp"

namespace plumb::parity::report {
namespace {

bool is_worse(const cases::NodeResult& a, const cases::NodeResult& b) {
  if (core::is_worse(a.verdict, b.verdict) != core::is_worse(b.verdict, a.verdict))
    return core::is_worse(a.verdict, b.verdict);
  const double ratio = a.gated().ratio(), other = b.gated().ratio();
  return ratio > other || (std::isnan(other) && !std::isnan(ratio));
}

/// Puts the outputs of a step where the worst of each are.
void add_nodes(const cases::CaseResult& step, cases::CaseResult& all) {
  for (cases::NodeResult node : step.nodes) {
    node.step = step.subject.step;
    const auto same = std::ranges::find_if(all.nodes, [&](const cases::NodeResult& other) {
      return other.label == node.label && other.output == node.output && other.is_of_plain_run == node.is_of_plain_run;
    });
    if (same == all.nodes.end()) {
      all.nodes.push_back(std::move(node));
    } else if (is_worse(node, *same)) {
      node.node = same->node;  // graphs of prompt and step number their nodes otherwise
      *same = std::move(node);
    }
  }
}

void add_step(const cases::CaseResult& step, cases::CaseResult& all) {
  add_nodes(step, all);
  if (core::is_worse(step.verdict, all.verdict)) {
    all.verdict = step.verdict;
    all.exit = step.exit;
    all.message = step.message.empty() ? "" : fmt::format("step {}: {}", step.subject.step, step.message);
  }
  for (const std::string& note : step.notes)
    if (std::ranges::find(all.notes, note) == all.notes.end())
      all.notes.push_back(fmt::format("step {}: {}", step.subject.step, note));
  for (cases::RelationResult relation : step.relations) {
    relation.how = fmt::format("step {}, {}", step.subject.step, relation.how);
    all.relations.push_back(std::move(relation));
  }
  if (step.plain.plain > all.plain.plain) all.plain = step.plain;
  all.wall_seconds += step.wall_seconds;
  all.coverage.flops = std::min(all.coverage.flops, step.coverage.flops);
  all.coverage.elements = std::min(all.coverage.elements, step.coverage.elements);
}

}  // namespace

cases::CaseResult of_all_steps(std::span<const cases::CaseResult> cases) {
  cases::CaseResult all = cases.front();
  for (const cases::CaseResult& step : cases.subspan(1)) add_step(step, all);
  return all;
}

}  // namespace plumb::parity::report
