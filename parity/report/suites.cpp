// Cases as suites of tests: which verdict passes, fails or is skipped, and what is said of it.
#include "parity/report/suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parity/attribution/attribution.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::report {
namespace {

std::string named(core::Verdict verdict) { return std::string(ir::enum_name(verdict)); }

void add(Properties& properties, const char* name, const std::string& value) {
  if (!value.empty()) properties.emplace_back(name, value);
}
void add(Properties& properties, const char* name, double value) {
  if (!std::isnan(value)) properties.emplace_back(name, fmt::format("{:.6g}", value));
}

Properties properties_of(const cases::NodeResult& node) {
  Properties all;
  add(all, "verdict", named(node.verdict));
  add(all, "ratio", node.gated().ratio());
  add(all, "ulp", node.gated().max_ulp.value);
  add(all, "error", node.gated().max_abs.value);
  if (!node.gated().worst.empty()) add(all, "allowed", node.gated().worst.front().allowed);
  add(all, "inherited", node.inherited.max_abs.value);
  add(all, "amplification", static_cast<float>(node.amplification));  // as results files keep it
  add(all, "kernel", node.kernel);
  add(all, "tile", node.tile);
  if (const auto accumulator = ir::accumulator_of(node.sums))
    add(all, "accumulation", std::string(ir::info(*accumulator).name));
  add(all, "dtype", std::string(ir::info(node.type.dtype).name));
  add(all, "placement", std::string(ir::enum_name(node.placement)));
  if (node.rule) add(all, "rule", std::to_string(*node.rule));
  if (node.special.of > cases::Special::none) add(all, "special", std::string(ir::enum_name(node.special.of)));
  if (node.hash) add(all, "out_hash", fmt::format("{:016x}", *node.hash));
  return all;
}

std::string details_of(const cases::CaseResult& result, const cases::NodeResult& node) {
  std::string text = node.why + '\n';
  const compare::Comparison& gated = node.gated();
  if (!gated.worst.empty()) {
    const compare::Worst& worst = gated.worst.front();
    // Outputs that a policy's rule refuses, or that a file states wrong, may be within the limits of all elements.
    const std::string how_many = gated.n_bad > 0
                                     ? fmt::format("{} of {} elements; worst", gated.n_bad, gated.n)
                                     : fmt::format("none of {} elements is beyond its limit; nearest", gated.n);
    text += fmt::format("{} [{}]: expected {:.9g}, got {:.9g}, allowed {:.3g}\n", how_many, worst.index, worst.expected,
                        worst.got, worst.allowed);
  }
  for (const cases::Pattern& one : node.patterns) text += "pattern: " + one.text + '\n';
  if (&node == cases::first_guilty(result)) text += "first guilty: " + attribution::guilty_text(result) + '\n';
  if (!node.repro.empty()) text += "repro: " + node.repro + '\n';
  return text;
}

/// Why a case was not verified, where neither its message nor a note says so.
std::string doubt_of(const cases::CaseResult& result) {
  const core::Coverage &found = result.coverage, &least = result.min_verified;
  if (result.verdict != core::Verdict::mistrusted || found.reaches(least)) return "it is " + named(result.verdict);
  return fmt::format("{:.0f} % of FLOPs and {:.0f} % of elements, of which {:g} % and {:g} % are asked for",
                     std::floor(100 * found.flops), std::floor(100 * found.elements), 100 * least.flops,
                     100 * least.elements);
}

/// The tests of one case, which came to that code by what was demanded, where it is known.
class CaseTests {
 public:
  CaseTests(const cases::CaseResult& result, const RunFacts& facts, std::optional<core::ExitCode> code)
      : result_(result), facts_(facts), identity_(cases::identity_of(result)), code_(code) {}
  Suite suite();

 private:
  Test test(const std::string& name, core::Verdict verdict, const std::string& why) const;
  Test test(const cases::NodeResult& node, core::Verdict verdict) const;
  Test whole() const;
  Properties properties(std::size_t not_judged) const;
  /// Whether a doubt about a part of it is a failure: not where the case ends well all the same, or nothing ran.
  bool is_strict() const {
    const bool ends_well = code_ == core::ExitCode::passed || code_ == core::ExitCode::nothing_ran;
    return facts_.outcome.demands.strict && !ends_well;
  }

  const cases::CaseResult& result_;
  const RunFacts& facts_;
  const cases::Identity identity_;
  const std::optional<core::ExitCode> code_;
};

Test CaseTests::test(const std::string& name, core::Verdict verdict, const std::string& why) const {
  Test one{.group = identity_.path,
           .name = name + identity_.variant,
           .end = end_of(verdict, is_strict()),
           .type = named(verdict)};
  one.is_unmet = end_of(verdict, false) < one.end;
  one.message = why;
  one.details = why + '\n' + (result_.repro.empty() ? "" : "repro: " + result_.repro + '\n');
  if (one.end == TestEnd::error && result_.exit == core::ExitCode::device_error) one.type = "device_fault";
  if (one.end <= TestEnd::skipped || !result_.meets_must) return one;
  one.end = TestEnd::skipped;
  one.message = "as the file says that it must: " + why;
  return one;
}

Test CaseTests::test(const cases::NodeResult& node, core::Verdict verdict) const {
  Test one = test(node.name(), verdict, node.why);
  one.node = node.name();
  one.op = node.op;
  one.details = details_of(result_, node);
  if (!node.patterns.empty()) one.pattern = node.patterns.front().text;
  const auto& ending = result_.judged_by.rules_ending;
  one.ends_soon =
      node.verdict == core::Verdict::xfailed && node.rule && std::ranges::find(ending, *node.rule) != ending.end();
  one.ratio = node.gated().ratio();
  one.properties = properties_of(node);
  if (node.reference_ns || node.device_ns)
    one.seconds = 1e-9 * static_cast<double>(node.reference_ns.value_or(0) + node.device_ns.value_or(0));
  return one;
}

Test CaseTests::whole() const {
  std::string why = result_.message;
  for (const std::string& note : result_.notes) why += (why.empty() ? "" : "; ") + note;
  // Exit code 4: a demanded verification is missing, whatever a test of the case says by itself.
  const bool is_missed = code_ == core::ExitCode::mistrusted;
  if (is_missed) why = "not verified: " + (why.empty() ? doubt_of(result_) : why);
  Test one = test("(case)", result_.verdict, why);
  one.attempts = result_.attempts;
  if (is_missed) {
    one.end = TestEnd::failure;
    one.is_unmet = true;
    one.message = why;
  }
  const bool fails = result_.exit == core::ExitCode::failed || result_.exit == core::ExitCode::tool_error ||
                     result_.exit == core::ExitCode::device_error;
  // A file may say that its case must fail, and then it fails by passing.
  if (fails && one.end < TestEnd::failure) one.end = TestEnd::failure;
  return one;
}

Properties CaseTests::properties(std::size_t not_judged) const {
  const core::BuildInfo& built = core::build_info();
  Properties all;
  add(all, "device", facts_.device);
  add(all, "driver", facts_.driver);
  add(all, "seed", std::to_string(result_.subject.seed));
  add(all, "mode", std::string(ir::enum_name(result_.mode)));
  add(all, "policy", result_.judged_by.file);
  add(all, "profile", facts_.profile);
  add(all, "tool_version", facts_.tool_version.empty() ? std::string(built.version) : facts_.tool_version);
  add(all, "commit", facts_.commit.empty() ? std::string(built.git_commit) : facts_.commit);
  add(all, "not_judged", std::to_string(not_judged));
  return all;
}

Suite CaseTests::suite() {
  Suite made{.name = identity_.id(),
             .file = identity_.path,
             .verdict = named(result_.verdict),
             .seconds = result_.wall_seconds};
  std::size_t not_judged = 0;
  for (const cases::NodeResult& node : result_.nodes) {
    const core::Verdict verdict =
        facts_.outcome.demands.strict ? core::as_counted_by_strict(node.verdict, node.lacks_truth) : node.verdict;
    if (verdict == core::Verdict::skipped)
      ++not_judged;
    else
      made.tests.push_back(test(node, verdict));
  }
  for (const cases::RelationResult& one : result_.relations)
    made.tests.push_back(test(
        fmt::format("{}: relation {}{}{}", one.label, ir::enum_name(one.relation), one.how.empty() ? "" : " ", one.how),
        one.verdict, one.why));
  for (const cases::ExpectedResult& one : result_.expected)
    made.tests.push_back(test(one.value + ": expected", one.verdict, one.why));
  made.properties = properties(not_judged);
  if (result_.attempts.empty())
    add_case(made, whole());
  else
    made.tests.push_back(whole());
  return made;
}

}  // namespace

TestEnd end_of(core::Verdict verdict, bool strict) {
  switch (verdict) {
    case core::Verdict::passed:
      return TestEnd::passed;
    case core::Verdict::xpassed:
      return strict ? TestEnd::failure : TestEnd::passed;
    case core::Verdict::mistrusted:
    case core::Verdict::fallback:
    case core::Verdict::unsupported:
    case core::Verdict::out_of_range:
    case core::Verdict::quarantined:
      return strict ? TestEnd::failure : TestEnd::skipped;
    case core::Verdict::failed:
    case core::Verdict::nondeterministic:
      return TestEnd::failure;
    case core::Verdict::error:
      return TestEnd::error;
    case core::Verdict::skipped:
    case core::Verdict::xfailed:
      break;
  }
  return TestEnd::skipped;
}

void add_case(Suite& suite, Test of_case) {
  TestEnd worst = TestEnd::passed;
  for (const Test& one : suite.tests) worst = std::max(worst, one.end);
  if (suite.tests.empty() || of_case.end > worst) suite.tests.push_back(std::move(of_case));
}

std::vector<Suite> suites_of(std::span<const cases::CaseResult> cases, const RunFacts& facts) {
  std::vector<Suite> suites;
  const auto& codes = facts.outcome.cases;
  for (std::size_t c = 0; c < cases.size(); ++c)
    suites.push_back(CaseTests(cases[c], facts, c < codes.size() ? std::optional(codes[c]) : std::nullopt).suite());
  for (Suite& suite : suites_of_run(facts.outcome)) suites.push_back(std::move(suite));
  return suites;
}

std::vector<Suite> suites_of_run(const core::Outcome& outcome) {
  if (outcome.findings.empty()) return {};
  Suite suite{.name = "plumb"};
  for (const core::RunFinding& finding : outcome.findings) {
    Test one{.group = "plumb", .name = "(run)", .type = finding.kind, .message = finding.text};
    one.details = finding.text + '\n';
    switch (finding.code(outcome.demands)) {
      case core::ExitCode::passed:
        one.end = TestEnd::skipped;
        break;
      case core::ExitCode::failed:
      case core::ExitCode::mistrusted:
        one.end = TestEnd::failure;
        break;
      default:
        one.end = TestEnd::error;
    }
    one.is_unmet = one.end == TestEnd::failure;
    suite.tests.push_back(std::move(one));
  }
  return {std::move(suite)};
}

}  // namespace plumb::parity::report
