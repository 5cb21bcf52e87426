#include "parity/core/demands.hpp"

#include <gtest/gtest.h>

#include "ir/error.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::demands_test {
namespace {

using core::CaseEnd;
using core::ExitCode;
using core::Verdict;

const CaseEnd passed{.nodes = {Verdict::passed}};
const CaseEnd failed{.usual = ExitCode::failed, .verdict = Verdict::failed, .nodes = {Verdict::failed}};
const CaseEnd mistrusted{.verdict = Verdict::mistrusted, .nodes = {Verdict::mistrusted}};
const CaseEnd on_host{.usual = ExitCode::nothing_ran, .verdict = Verdict::fallback, .nodes = {Verdict::fallback}};
const CaseEnd unread{.usual = ExitCode::nothing_ran, .verdict = Verdict::unsupported};
const CaseEnd skipped{.usual = ExitCode::nothing_ran, .verdict = Verdict::skipped, .nodes = {Verdict::skipped}};

ExitCode usual(const std::vector<CaseEnd>& cases) { return core::exit_code(cases, {}); }
ExitCode strict(const std::vector<CaseEnd>& cases) { return core::exit_code(cases, {.strict = true}); }
ExitCode verified(const std::vector<CaseEnd>& cases) { return core::exit_code(cases, {.verified = true}); }

TEST(Demands, WithoutAnyWhatWasJudgedDecides) {
  EXPECT_EQ(usual({passed, mistrusted, on_host, unread, skipped}), ExitCode::passed);
  EXPECT_EQ(usual({on_host, unread, skipped}), ExitCode::nothing_ran);
  EXPECT_EQ(usual({passed, failed}), ExitCode::failed);
}

TEST(Demands, WhatWasNotVerifiedIsNeverGreenBesideWhatPassed) {
  for (const CaseEnd& other : {mistrusted, on_host, unread}) {
    EXPECT_EQ(strict({passed, other}), ExitCode::mistrusted);
    EXPECT_EQ(verified({passed, other}), ExitCode::mistrusted);
  }
  EXPECT_EQ(verified({passed, skipped}), ExitCode::mistrusted);
  EXPECT_EQ(strict({passed, passed}), ExitCode::passed);
  EXPECT_EQ(verified({passed, passed}), ExitCode::passed);
}

TEST(Demands, WithoutADeviceStrictIsSkippedAndVerifiedIsNot) {
  EXPECT_EQ(strict({unread, unread}), ExitCode::nothing_ran);
  EXPECT_EQ(verified({unread, unread}), ExitCode::mistrusted);
}

TEST(Demands, HideNothingWorse) {
  EXPECT_EQ(strict({failed, unread}), ExitCode::failed);
  EXPECT_EQ(verified({failed, unread}), ExitCode::failed);
  EXPECT_EQ(verified({CaseEnd{.usual = ExitCode::tool_error, .verdict = Verdict::error}, mistrusted}),
            ExitCode::tool_error);
}

TEST(Demands, SayWhatTheyWereNotMetBy) {
  const CaseEnd doubted{
      .verdict = Verdict::passed,
      .nodes = {Verdict::passed, Verdict::mistrusted, Verdict::fallback, Verdict::mistrusted, Verdict::out_of_range},
      .name = "a.json",
      .labels = {"v", "w", "x", "y", "z"}};
  CaseEnd none = unread;
  none.name = "b.json";
  EXPECT_EQ(core::unmet(std::vector{doubted, none}, {.strict = true}),
            "--strict: nodes or cases not verified: w (mistrusted), x (fallback), y (mistrusted) and 2 more; "
            "exit code 4\n");
  EXPECT_EQ(core::unmet(std::vector{doubted, none}, {.verified = true}),
            "--require-verified: cases not verified: b.json (unsupported); exit code 4\n");
  EXPECT_EQ(core::unmet(std::vector{doubted, none}, {}), "");
  EXPECT_EQ(core::unmet(std::vector{failed, none}, {.strict = true, .verified = true}), "");
  EXPECT_EQ(core::unmet(std::vector{passed}, {.strict = true, .verified = true}), "");
}

ExitCode exit_of(const std::vector<CaseEnd>& cases, const core::Demands& demands, const core::RunFinding& finding) {
  return core::outcome_of(cases, demands, {finding}).exit;
}

TEST(Demands, WhatWasCutOffIsNeverGreen) {
  const core::RunFinding cut = core::cut_off(31, 200);
  EXPECT_EQ(cut.text, "cut off: 31 of 200 cases");
  EXPECT_EQ(core::cut_off(0, 1).text, "cut off: 0 of 1 case");
  EXPECT_EQ(core::cut_off(2, {}).text, "cut off: 2 cases");
  for (const std::vector<CaseEnd>& cases : {std::vector<CaseEnd>{}, {passed}, {unread}}) {
    EXPECT_EQ(exit_of(cases, {}, cut), ExitCode::mistrusted);
    EXPECT_EQ(exit_of(cases, {.verified = true}, cut), ExitCode::mistrusted);
    EXPECT_EQ(exit_of(cases, {.strict = true}, cut), ExitCode::tool_error);
  }
  EXPECT_EQ(exit_of({failed}, {}, cut), ExitCode::failed);
  const std::vector findings = {cut};
  EXPECT_EQ(core::unmet(std::vector{passed}, {}, findings), "cut off: 31 of 200 cases; exit code 4\n");
  EXPECT_EQ(core::unmet(std::vector{passed}, {.strict = true}, findings), "cut off: 31 of 200 cases; exit code 2\n");
  EXPECT_EQ(core::unmet(std::vector{failed}, {}, findings), "cut off: 31 of 200 cases\n");
}

TEST(Demands, AFindingThatOnlyStrictCountsIsSaidAnyway) {
  const core::RunFinding expired{.kind = "expired_rule", .text = "rule r expired"};
  EXPECT_EQ(exit_of({passed}, {}, expired), ExitCode::passed);
  EXPECT_EQ(exit_of({passed}, {.verified = true}, expired), ExitCode::passed);
  EXPECT_EQ(exit_of({passed}, {.strict = true}, expired), ExitCode::mistrusted);
  EXPECT_EQ(exit_of({unread}, {.strict = true}, expired), ExitCode::nothing_ran);
  EXPECT_EQ(exit_of({failed}, {.strict = true}, expired), ExitCode::failed);
  const std::vector findings = {expired};
  EXPECT_EQ(core::unmet(std::vector{passed}, {}, findings), "rule r expired\n");
  EXPECT_EQ(core::unmet(std::vector{passed}, {.strict = true}, findings), "--strict: rule r expired; exit code 4\n");
  CaseEnd doubted = mistrusted;
  doubted.labels = {"w"};
  EXPECT_EQ(core::unmet(std::vector{doubted}, {.strict = true}, findings),
            "--strict: nodes or cases not verified: w (mistrusted); exit code 4\n"
            "--strict: rule r expired; exit code 4\n");
}

TEST(Demands, EachCaseHasTheCodeThatItAddsAndItsDoubtsAreAllThatDecides) {
  const std::vector cases = {passed, unread, on_host, failed, mistrusted};
  EXPECT_EQ(core::outcome_of(cases, {.strict = true}).cases,
            (std::vector{ExitCode::passed, ExitCode::mistrusted, ExitCode::mistrusted, ExitCode::failed,
                         ExitCode::mistrusted}));
  EXPECT_EQ(core::outcome_of(cases, {}).cases,
            (std::vector{ExitCode::passed, ExitCode::nothing_ran, ExitCode::nothing_ran, ExitCode::failed,
                         ExitCode::passed}));
  const CaseEnd many{.nodes = {Verdict::passed, Verdict::mistrusted, Verdict::skipped}, .labels = {"a", "b", "c"}};
  EXPECT_EQ(core::doubts_in(many).nodes, std::vector{Verdict::mistrusted});
  EXPECT_EQ(core::doubts_in(many).labels, std::vector<std::string>{"b"});
}

/// The exit codes of a run with this case and one that passed: without demands, strictly, verified.
struct Beside {
  CaseEnd end;
  ExitCode usual, strict, verified;
};

const std::vector<Beside> all = {
    {passed, ExitCode::passed, ExitCode::passed, ExitCode::passed},
    {failed, ExitCode::failed, ExitCode::failed, ExitCode::failed},
    {{.usual = ExitCode::failed, .verdict = Verdict::nondeterministic},
     ExitCode::failed,
     ExitCode::failed,
     ExitCode::failed},
    {{.usual = ExitCode::tool_error, .verdict = Verdict::error},
     ExitCode::tool_error,
     ExitCode::tool_error,
     ExitCode::tool_error},
    {{.usual = ExitCode::device_error, .verdict = Verdict::error},
     ExitCode::device_error,
     ExitCode::device_error,
     ExitCode::device_error},
    {mistrusted, ExitCode::passed, ExitCode::mistrusted, ExitCode::mistrusted},
    {on_host, ExitCode::passed, ExitCode::mistrusted, ExitCode::mistrusted},
    {unread, ExitCode::passed, ExitCode::mistrusted, ExitCode::mistrusted},
    {skipped, ExitCode::passed, ExitCode::passed, ExitCode::mistrusted},
    {{.verdict = Verdict::out_of_range, .nodes = {Verdict::out_of_range}},
     ExitCode::passed,
     ExitCode::mistrusted,
     ExitCode::mistrusted},
    {{.verdict = Verdict::xpassed, .nodes = {Verdict::xpassed}},
     ExitCode::passed,
     ExitCode::mistrusted,
     ExitCode::mistrusted},
    {{.verdict = Verdict::xfailed, .nodes = {Verdict::xfailed}}, ExitCode::passed, ExitCode::passed, ExitCode::passed},
};

/// Which of two codes docs/ci.md names first.
ExitCode first_of(ExitCode a, ExitCode b) {
  for (const ExitCode code : {ExitCode::device_error, ExitCode::tool_error, ExitCode::failed, ExitCode::mistrusted})
    if (a == code || b == code) return code;
  return ExitCode::passed;
}

TEST(Demands, EveryCaseBesideEveryOtherIsTheFirstOfTheTable) {
  for (const Beside& a : all)
    for (const Beside& b : all)
      for (const std::vector<CaseEnd>& cases :
           {std::vector{passed, a.end, b.end}, {a.end, passed, b.end}, {b.end, a.end, passed}}) {
        SCOPED_TRACE(ir::cat(&a - all.data(), " beside ", &b - all.data()));
        EXPECT_EQ(usual(cases), first_of(a.usual, b.usual));
        EXPECT_EQ(strict(cases), first_of(a.strict, b.strict));
        EXPECT_EQ(verified(cases), first_of(a.verified, b.verified));
      }
}

TEST(DidYouMean, FindsTheNearestWord) {
  const std::vector<std::string> words = {"verify", "run", "dump", "--help"};
  EXPECT_EQ(core::did_you_mean("verfy", words), "; did you mean verify?");
  EXPECT_EQ(core::did_you_mean("evrify", words), "; did you mean verify?");
  EXPECT_EQ(core::did_you_mean("help", words), "; did you mean --help?");
  EXPECT_EQ(core::did_you_mean("verfy", words, "PLUMB_"), "; did you mean PLUMB_verify?");
  EXPECT_EQ(core::did_you_mean("frobnicate", words), "");
  EXPECT_EQ(core::did_you_mean("", words), "");
}

}  // namespace
}  // namespace plumb::parity::demands_test
