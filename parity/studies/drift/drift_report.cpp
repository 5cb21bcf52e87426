// Writes what drift found.
#include "parity/studies/drift/drift_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/attribute.hpp"
#include "parity/core/json_number.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::studies::drift {
namespace {

using core::terminal::Colour;
using Json = nlohmann::ordered_json;

/// "worse", and what becomes of it.
std::string standing_text(const Change& one, const policy::DriftRules& rules) {
  const std::string name(one.standing == Standing::untold ? "too few seeds" : ir::enum_name(one.standing));
  if (one.is_accepted && one.standing == Standing::worse) return name + ", accepted";
  return one.standing != Standing::worse && one.fails(rules) ? name + ", forbidden" : name;
}

std::string finding_text(const Change& one) {
  const std::string effect = one.effect_text();
  if (one.verdicts.empty()) return effect;
  return one.verdicts + (effect.empty() ? "" : "; " + effect);
}

std::string cause_text(const Change& one) {
  return std::string(ir::enum_name(one.cause)) + (one.about.empty() ? "" : ": " + one.about);
}

std::string message_of(const Change& one, const policy::DriftRules& rules) {
  const std::string finding = finding_text(one);
  return fmt::format("{}{}{}; {}, other bits in {} of {}", standing_text(one, rules), finding.empty() ? "" : ": ",
                     finding, cause_text(one), one.differing, core::terminal::counted(one.seeds, "seed"));
}

std::string summary(const Drift& drift) {
  const auto count = [&](Standing standing) { return std::ranges::count(drift.changes, standing, &Change::standing); };
  const auto changed = std::ranges::count_if(drift.changes, [](const Change& one) { return one.differing > 0; });
  std::string text = fmt::format("{}, {}, {} {}: ", core::terminal::counted(drift.ids.size(), "case"),
                                 core::terminal::counted(drift.outputs, "output"), drift.seeds,
                                 drift.is_paired ? (drift.seeds == 1 ? "common seed" : "common seeds") : "other seeds");
  if (drift.is_paired) text += fmt::format("{} changed, ", changed);
  text += fmt::format("{} worse, {} better", count(Standing::worse), count(Standing::better));
  if (count(Standing::untold) > 0) text += fmt::format(", {} with too few seeds to tell", count(Standing::untold));
  if (count(Standing::appeared) > 0) text += fmt::format(", {} new", count(Standing::appeared));
  if (drift.limits > 0) text += fmt::format(", {} with equal bits and another limit", drift.limits);
  return text;
}

Json effect_json(const Effect& one) {
  return {{"statistic", ir::enum_name(one.measure)},
          {"size", core::json_number(one.size)},
          {"low", core::json_number(one.low)},
          {"high", core::json_number(one.high)},
          {"t", core::json_number(one.tested.t)},
          {"p", one.tested.p},
          {"values", one.tested.values},
          {"worse", one.is_worse},
          {"better", one.is_better}};
}

Json change_json(const Change& one, const policy::DriftRules& rules) {
  Json effects = Json::array();
  for (const Effect& effect : one.effects) effects.push_back(effect_json(effect));
  return {{"case", one.id},
          {"node", one.node},
          {"op", one.op},
          {"dtype", one.dtype},
          {"kernel", one.kernel},
          {"standing", ir::enum_name(one.standing)},
          {"fails", one.fails(rules)},
          {"accepted", one.is_accepted},
          {"cause", ir::enum_name(one.cause)},
          {"about", one.about},
          {"verdicts", one.verdicts},
          {"seeds", one.seeds},
          {"differing", one.differing},
          {"effects", effects}};
}

report::Test test_of(const Change& one, const policy::DriftRules& rules) {
  report::Test made{.group = one.id, .name = one.node, .node = one.node, .op = one.op};
  made.message = message_of(one, rules);
  made.details = made.message + '\n';
  made.type = "drift";
  if (one.fails(rules))
    made.end = report::TestEnd::failure;
  else if (one.standing == Standing::untold || one.standing == Standing::appeared || one.standing == Standing::worse)
    made.end = report::TestEnd::skipped;
  made.properties = {{"dtype", one.dtype},
                     {"kernel", one.kernel},
                     {"cause", std::string(ir::enum_name(one.cause))},
                     {"seeds", std::to_string(one.seeds)},
                     {"differing", std::to_string(one.differing)}};
  for (const Effect& effect : one.effects)
    made.properties.emplace_back(fmt::format("{}", ir::enum_name(effect.measure)),
                                 fmt::format("{:.4g}, p = {:.3g}", effect.size, effect.tested.p));
  return made;
}

}  // namespace

core::ExitCode exit_code(const Drift& drift) {
  if (drift.fails()) return core::ExitCode::failed;
  return drift.is_untold() ? core::ExitCode::nothing_ran : core::ExitCode::passed;
}

std::string to_text(const Drift& drift, const core::terminal::Style& style, std::size_t most_others) {
  std::string text;
  for (const std::string& note : drift.notes) text += note + '\n';
  core::terminal::FittedTable table({{.header = "node", .is_left = true},
                                     {.header = "finding", .is_left = true},
                                     {.header = "bits", .goes = 1},
                                     {.header = "cause", .is_left = true, .goes = 2},
                                     {.header = "standing", .is_left = true}});
  std::size_t others = 0, left_out = 0;
  for (const Change& one : drift.changes) {
    const bool fails = one.fails(drift.rules);
    if (!fails && ++others > most_others) {
      ++left_out;
      continue;
    }
    const std::string name = drift.ids.size() > 1 ? one.id + ' ' + one.node : one.node;
    table.row({core::terminal::printable(name), finding_text(one), fmt::format("{}/{}", one.differing, one.seeds),
               core::terminal::printable(cause_text(one)), standing_text(one, drift.rules)},
              fails ? Colour::red : Colour::none);
  }
  if (!table.empty())
    for (const std::string& line : table.lines(style)) text += line + '\n';
  if (left_out > 0) text += fmt::format("... {} more\n", left_out);
  return text + summary(drift) + '\n';
}

std::string to_json(const Drift& drift) {
  Json changes = Json::array(), accepted = Json::array();
  for (const Change& one : drift.changes) changes.push_back(change_json(one, drift.rules));
  for (const DriftCause cause : drift.rules.accept) accepted.push_back(ir::enum_name(cause));
  const Json all = {{"schema", "plumb.drift/1"},
                    {"exit", static_cast<int>(exit_code(drift))},
                    {"cases", drift.ids},
                    {"outputs", drift.outputs},
                    {"paired", drift.is_paired},
                    {"seeds", drift.seeds},
                    {"wanted_seeds", drift.wanted_seeds},
                    {"hypotheses", drift.hypotheses},
                    {"false_alarm", drift.rules.false_alarm},
                    {"accept", accepted},
                    {"bits", ir::enum_name(drift.rules.bits)},
                    {"limits", drift.limits},
                    {"notes", drift.notes},
                    {"changes", changes}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<report::Suite> to_suites(const Drift& drift) {
  std::vector<report::Suite> suites;
  for (const std::string& id : drift.ids) {
    report::Suite& suite = suites.emplace_back(report::Suite{.name = id});
    bool fails = false;
    for (const Change& one : drift.changes) {
      if (one.id != id) continue;
      suite.file = one.file;
      suite.tests.push_back(test_of(one, drift.rules));
      fails |= one.fails(drift.rules);
    }
    suite.verdict = ir::enum_name(fails ? core::Verdict::failed : core::Verdict::passed);
    if (suite.tests.empty())
      suite.tests.push_back({.group = id, .name = "(case)", .type = "drift", .message = "nothing changed"});
  }
  return suites;
}

report::RunFacts run_facts(const Drift& drift) {
  report::RunFacts facts{.device = drift.device, .driver = drift.driver};
  facts.outcome.exit = exit_code(drift);
  facts.outcome.cases = std::vector<core::ExitCode>(drift.ids.size(), facts.outcome.exit);
  return facts;
}

}  // namespace plumb::parity::studies::drift
