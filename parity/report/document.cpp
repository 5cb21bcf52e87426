// The headline of a run, and what is told of a test, for reports to people.
#include "parity/report/document.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

/// Why a run was not verified, in few words: what its tests have in common, or how many they are. Without a device it
/// is what comes before the first colon, "no driver".
std::string doubt_in(std::span<const Told* const> unmet, const RunFacts& facts) {
  constexpr std::string_view prefix = "not verified: ";
  constexpr std::size_t most = 100;
  std::string_view why = unmet.front()->test->message;
  const auto is_same = [&](const Told* one) { return one->test->message == why; };
  if (!std::ranges::all_of(unmet, is_same)) return core::terminal::counted(unmet.size(), "test");
  if (why.starts_with(prefix)) why.remove_prefix(prefix.size());
  why = why.substr(0, why.find_first_of(facts.device.empty() ? ":;\n" : ";\n"));
  return std::string(why.substr(0, most)) + (why.size() > most ? "..." : "");
}

}  // namespace

bool fails(const Test& test) { return test.end == TestEnd::failure || test.end == TestEnd::error; }

std::vector<Told> worst_first(std::span<const Suite> suites, const std::function<bool(const Test&)>& holds) {
  std::vector<Told> found;
  for (const Suite& suite : suites)
    for (const Test& test : suite.tests)
      if (holds(test)) found.push_back({&suite, &test});
  const auto ratio = [](const Test& test) { return std::isnan(test.ratio) ? -1 : test.ratio; };
  std::ranges::stable_sort(found, [&](const Told& a, const Told& b) {
    if (a.test->end != b.test->end) return a.test->end > b.test->end;
    return ratio(*a.test) > ratio(*b.test);
  });
  return found;
}

std::string headline_of(std::span<const Told> failed, const RunFacts& facts, const Escape& safe) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  std::vector<const Told*> unmet;
  std::size_t worse = 0;
  for (const core::RunFinding& finding : facts.outcome.findings)
    if (finding.code(facts.outcome.demands) != core::ExitCode::passed) add(safe(finding.text));
  for (const Told& one : failed) {
    if (one.suite->verdict.empty()) continue;
    if (one.test->is_unmet)
      unmet.push_back(&one);
    else
      ++worse;
  }
  if (worse > 0) add(core::terminal::counted(worse, "test") + " failed");
  if (!unmet.empty()) add("not verified: " + safe(doubt_in(unmet, facts)));
  const bool is_of_nothing = facts.outcome.cases.empty() && facts.outcome.exit == core::ExitCode::nothing_ran;
  if (text.empty()) return is_of_nothing ? "nothing was judged" : "nothing failed";
  return text;
}

std::map<std::string, std::size_t> cases_by_verdict(std::span<const Suite> suites) {
  std::map<std::string, std::size_t> verdicts;
  for (const Suite& suite : suites)
    if (!suite.verdict.empty()) ++verdicts[suite.verdict];
  return verdicts;
}

std::string property(const Test& test, std::string_view name) {
  const auto found = std::ranges::find(test.properties, name, &Properties::value_type::first);
  return found == test.properties.end() ? "" : found->second;
}

std::string_view repro_of(const Test& test) {
  constexpr std::string_view mark = "repro: ";
  const std::size_t at = test.details.rfind(mark);
  if (at == std::string::npos) return "";
  const std::string_view rest = std::string_view(test.details).substr(at + mark.size());
  return rest.substr(0, rest.find('\n'));
}

std::string reason_of(const Test& test) {
  constexpr std::size_t most = 120;
  const bool is_beyond = test.ratio > 1;
  return is_beyond || !test.pattern.empty() ? test.pattern : core::terminal::cut_in_the_middle(test.message, most);
}

}  // namespace plumb::parity::report
