#include "parity/policy/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/error.hpp"
#include "parity/policy/policy_lint.hpp"
#include "tests/parity/policy/policy_text.hpp"

namespace plumb::parity::policy::policy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Facts facts() {
  Facts f;
  f.node = "layer0/q";
  f.op = "matmul";
  f.in = "f16";
  f.dtype = "f16";
  f.accumulation = "f32";
  f.kernel = "coopmat_f16_split4";
  f.tile = "128x128x32";
  f.device = "AMD Radeon";
  f.driver = "radv";
  f.driver_version = {25, 3, 1};
  f.n = 64;
  f.k_reduce = 256;
  f.u = 0x1p-24;
  f.u_out = 0x1p-11;
  return f;
}

Measured with(double ratio, double max_abs) {
  Measured m{.n = 64, .n_bad = ratio > 1 ? 1u : 0u};
  m.ratio_max = ratio;
  m.max_abs = max_abs;
  m.max_rel = 10 * max_abs;
  m.max_ulp = 7;
  m.rms = max_abs / 2;
  m.mean_signed = 0;
  m.nmse = max_abs * max_abs;
  m.cosine = 1 - max_abs;
  m.expected_absmax = 4;
  return m;
}

core::Verdict verdict(const std::string& require, const Measured& m) {
  return judge(of(rule("r", "", require)), facts(), {m, m}, day).verdict;
}

TEST(Policy, TheFirstRuleThatMatchesDecides) {
  const Policy policy = of(rule("other", "op = \"softmax\"", "require = { max_abs = 0 }") +
                           rule("first", "op = [\"conv\", \"mat*\"], in = \"f16\"", "require = { ratio_max = 0.5 }") +
                           rule("second", "", "require = { ratio_max = 10 }"));
  const Judgement strict = judge(policy, facts(), {with(0.7, 1e-3), {}}, day);
  EXPECT_EQ(strict.rule, 1u);
  EXPECT_EQ(strict.verdict, core::Verdict::failed);
  EXPECT_EQ(strict.why, "ratio_max is 0.7, at most 0.5 is required: rule first (p.toml:6)");
  Facts other = facts();
  other.op = "gelu";
  EXPECT_EQ(judge(policy, other, {with(0.7, 1e-3), {}}, day).rule, 2u);
  EXPECT_EQ(judge(policy, other, {with(0.7, 1e-3), {}}, day).verdict, core::Verdict::passed);
}

TEST(Policy, WithoutARuleTheBoundIsTheLimit) {
  const Policy policy = of(rule("other", "op = \"softmax\"", "require = { max_abs = 9 }"));
  EXPECT_EQ(judge(policy, facts(), {with(0.7, 1e-3), {}}, day).verdict, core::Verdict::passed);
  const Judgement bad = judge(policy, facts(), {with(1.5, 1e-3), {}}, day);
  EXPECT_EQ(bad.verdict, core::Verdict::failed);
  EXPECT_FALSE(bad.rule.has_value());
  EXPECT_THAT(bad.why, HasSubstr("no rule matches"));
}

TEST(Policy, EverySelectorCanLeaveANodeOut) {
  const auto reason = [](const std::string& match) {
    const Policy policy = of(rule("r", match, "require = { max_abs = 0 }"));
    return why_not(policy.rules[0], facts(), day);
  };
  for (const char* match :
       {"op = \"matmul\"", "node = \"layer?/*\"", "in = \"f16\"", "dtype = \"f16\"", "accumulation = \"f32\"",
        "kernel = \"coopmat*\"", "tile = \"128x128*\"", "device = \"AMD*\"", "driver = \"radv\"",
        "driver = \"radv <26.1\"", "driver = \">= 25.3\"", "k_reduce = \">=64\"", "k_reduce = 256",
        "exact = \"unknown\"", "fill = \"graph\"", "device_profile = \"*\"", "op = \"*\""})
    EXPECT_EQ(reason(match), "") << match;
  EXPECT_EQ(reason("op = [\"gemm\", \"conv*\"]"), "op is 'matmul', wanted 'gemm' or 'conv*'");
  EXPECT_EQ(reason("node = \"layer1/*\""), "node is 'layer0/q', wanted 'layer1/*'");
  EXPECT_EQ(reason("in = \"f32\""), "in is 'f16', wanted 'f32'");
  EXPECT_EQ(reason("dtype = \"f32\""), "dtype is 'f16', wanted 'f32'");
  EXPECT_EQ(reason("accumulation = \"f16\""), "accumulation is 'f32', wanted 'f16'");
  EXPECT_EQ(reason("kernel = [\"tiled\", \"vector*\"]"), "kernel is 'coopmat_f16_split4', wanted 'tiled' or 'vector*'");
  EXPECT_EQ(reason("tile = \"64x*\""), "tile is '128x128x32', wanted '64x*'");
  EXPECT_EQ(reason("exact = \"proved\""), "exact is 'unknown', wanted 'proved'");
  EXPECT_EQ(reason("fill = \"exact\""), "fill is 'graph', wanted 'exact'");
  EXPECT_EQ(reason("device_profile = \"9c1e\""), "device_profile is '', wanted '9c1e'");
  EXPECT_EQ(reason("device = \"NVIDIA*\""), "device is 'AMD Radeon', wanted 'NVIDIA*'");
  EXPECT_EQ(reason("driver = \"radv <25.3.1\""), "the driver's version is 25.3.1, wanted <25.3.1");
  EXPECT_EQ(reason("driver = \"anv <26\""), "driver is 'radv', wanted 'anv'");
  EXPECT_EQ(reason("k_reduce = \"<256\""), "k_reduce is 256, wanted <256");
}

TEST(Policy, EveryMeasureIsHeldToItsLimit) {
  const Measured m = with(0.5, 1e-2);  // max_rel 0.1, max_ulp 7, rel_l2 1e-2, nmse 1e-4, cosine 0.99, snr 40 dB
  for (const auto& [holds, fails] :
       {std::pair{"ratio_max = 0.5", "ratio_max = 0.49"},
        {"bound = \"auto\"", "bound = \"auto\", ratio_max = 0.4"},
        {"max_abs = 0.01", "max_abs = 0.0099"},
        {"max_rel = 0.11", "max_rel = 0.09"},
        {"max_ulp = 7", "max_ulp = 6.9"},
        {"rel_l2 = 0.011", "rel_l2 = 0.009"},
        {"nmse = 1.1e-4", "nmse = 9e-5"},
        {"cosine = 0.98", "cosine = 0.995"},
        {"snr_db = 39.9", "snr_db = \">= 40.1\""},
        {"allclose = { rtol = 0, atol = 0.01 }", "allclose = { rtol = 1e-3, atol = 1e-3 }"},
        {"any = [{ max_abs = 0 }, { max_ulp = 7 }]", "any = [{ max_abs = 0 }, { max_ulp = 1 }]"},
        {"max_abs = \"1e-2 * max(1, u)\"", "max_abs = \"sqrt(n) * u * log2(k)\""}}) {
    EXPECT_EQ(verdict("require = {" + std::string(holds) + "}", m), core::Verdict::passed) << holds;
    EXPECT_EQ(verdict("require = {" + std::string(fails) + "}", m), core::Verdict::failed) << fails;
  }
  Measured biased = m;
  biased.mean_signed = -biased.rms / 2;  // 4 sigma of 64 elements
  EXPECT_EQ(verdict("require = { max_abs = 1 }\nalso = { mean_signed_sigma = 4.01 }", biased), core::Verdict::passed);
  EXPECT_EQ(verdict("require = { max_abs = 1 }\nalso = { mean_signed_sigma = 3.99 }", biased), core::Verdict::failed);
}

TEST(Policy, WhatTheNumbersDoNotTellIsAnErrorAndNoPass) {
  EXPECT_EQ(verdict("require = { allclose = { rtol = 1, atol = 0 } }", with(0.5, 1e-2)), core::Verdict::error);
  Measured tiny = with(0.5, 1e-9);
  tiny.max_ulp = 0.4;
  EXPECT_EQ(verdict("require = { bitwise = true }", tiny), core::Verdict::error);
  tiny.max_ulp = 1.5;
  EXPECT_EQ(verdict("require = { bitwise = true }", tiny), core::Verdict::failed);
  tiny.max_ulp = compare::not_computed;
  EXPECT_EQ(verdict("require = { max_ulp = 9 }", tiny), core::Verdict::error);
  EXPECT_EQ(verdict("require = { any = [{ max_ulp = 9 }, { max_abs = 1 }] }", tiny), core::Verdict::passed);
  EXPECT_EQ(verdict("require = { any = [{ max_ulp = 9 }, { max_abs = 0 }] }", tiny), core::Verdict::error);
  tiny.holds = [](const Requirement& asked) { return asked.measure == Measure::bitwise; };
  EXPECT_EQ(verdict("require = { bitwise = true }", tiny), core::Verdict::passed);
  EXPECT_EQ(verdict("require = { allclose = { rtol = 1, atol = 1 } }", tiny), core::Verdict::failed);
}

TEST(Policy, LimitsMayBeOfTheTruthsNorms) {
  Measured m = with(0.5, 1e-2);
  EXPECT_EQ(verdict("require = { max_abs = \"norm2\" }", m), core::Verdict::error);
  m.expected_norm1 = 40;
  m.expected_norm2 = 10;  // m = 4
  EXPECT_EQ(verdict("require = { max_abs = \"1e-3 * norm2\" }", m), core::Verdict::passed);
  EXPECT_EQ(verdict("require = { max_abs = \"1e-3 * norm1 / m\" }", m), core::Verdict::passed);
  EXPECT_EQ(verdict("require = { max_abs = \"9e-4 * norm2\" }", m), core::Verdict::failed);
}

TEST(Policy, WhatCouldPassByChanceIsMistrusted) {
  const Policy policy = of("[budget]\nmax_vacuity = 0.3\n");
  Measured m = with(0.5, 1e-2);
  EXPECT_EQ(judge(policy, facts(), {m, m}, day).verdict, core::Verdict::passed);
  m.vacuity = 0.31;
  EXPECT_EQ(judge(policy, facts(), {m, m}, day).verdict, core::Verdict::mistrusted);
  EXPECT_THAT(judge(policy, facts(), {m, m}, day).why, HasSubstr("[budget] (p.toml:2)"));
  m.n_bad = 1;
  EXPECT_EQ(judge(policy, facts(), {m, m}, day).verdict, core::Verdict::failed);
}

TEST(Policy, NoErrorMeetsEverythingAndASpecialValueNothing) {
  Measured none{.n = 5};  // as of a tensor of matching NaNs: nothing was measured
  const std::string all = "require = { bitwise = true, max_abs = 0, max_rel = 0, cosine = 1, snr_db = 200 }";
  EXPECT_EQ(verdict(all, none), core::Verdict::passed);
  none.specials_differ = true;
  EXPECT_EQ(verdict("require = { max_abs = 1e300 }", none), core::Verdict::failed);
  Measured nans = with(0.1, 1e-3);
  nans.n_nan = 2;
  EXPECT_EQ(verdict("require = { max_abs = 1 }", nans), core::Verdict::passed);
  const Policy forbids = of("[special]\nnan = \"forbid\"\n");
  EXPECT_EQ(judge(forbids, facts(), {nans, nans}, day).verdict, core::Verdict::failed);
}

TEST(Policy, ABoundMadeUnderAnotherRuleDecidesOnlyWhatItCan) {
  const auto says = [](const std::string& require, std::uint64_t bad, double ratio, BoundWas bound) {
    Measured m = with(0.1, 1e-3);
    m.n_bad = bad;
    m.ratio_max = ratio;
    m.bound = bound;
    return judge(of(require), facts(), {m, {}}, day).verdict;
  };
  const std::string rule = "[[rule]]\nid = \"r\"\nmatch = {}\nrequire = { ratio_max = 0.5 }\n";
  for (const std::string& require : {std::string(), rule}) {
    EXPECT_EQ(says(require, 0, 0.1, BoundWas::as_wanted), core::Verdict::passed);
    EXPECT_EQ(says(require, 0, 0.1, BoundWas::tighter), core::Verdict::passed);
    EXPECT_EQ(says(require, 0, 0.1, BoundWas::looser), core::Verdict::error);
    EXPECT_EQ(says(require, 0, 0.1, BoundWas::unknown), core::Verdict::error);
    EXPECT_EQ(says(require, 1, 2, BoundWas::as_wanted), core::Verdict::failed);
    EXPECT_EQ(says(require, 1, 2, BoundWas::tighter), core::Verdict::error);
    EXPECT_EQ(says(require, 1, 2, BoundWas::looser), core::Verdict::failed);
    EXPECT_EQ(says(require, 1, 2, BoundWas::unknown), core::Verdict::error);
  }
}

TEST(Policy, AnExpectedFailureExpires) {
  const Policy policy =
      of(rule("known", "driver = \"radv <26.1\"", "verdict = \"xfail\"\nreason = \"a link\"\nexpires = 2026-06-01") +
         rule("all", "", "require = { bound = \"auto\" }"));
  const Parts bad{with(7, 1e-3), {}}, good{with(0.5, 1e-3), {}};
  EXPECT_EQ(judge(policy, facts(), bad, day).verdict, core::Verdict::xfailed);
  EXPECT_THAT(judge(policy, facts(), bad, day).why, HasSubstr("expected until 2026-06-01: a link"));
  EXPECT_EQ(judge(policy, facts(), good, day).verdict, core::Verdict::xpassed);
  const auto after = day + std::chrono::days(1);
  EXPECT_EQ(judge(policy, facts(), bad, after).verdict, core::Verdict::failed);
  EXPECT_EQ(judge(policy, facts(), bad, after).rule, 1u);
  EXPECT_EQ(why_not(policy.rules[0], facts(), after), "it expired on 2026-06-01");
}

TEST(Policy, AnExpectedFailureExcusesSoMuch) {
  const auto expected = [](const std::string& ratio) {
    return of(rule("known", "", "verdict = \"xfail\"\n" + ratio + "reason = \"a link\"\nexpires = 2026-06-01"));
  };
  const auto says = [&](const std::string& ratio, const Measured& m) {
    return judge(expected(ratio), facts(), {m, {}}, day).verdict;
  };
  EXPECT_EQ(says("", with(100, 1e-3)), core::Verdict::xfailed);
  EXPECT_EQ(says("", with(101, 1e-3)), core::Verdict::failed);
  EXPECT_EQ(says("ratio_max = 7\n", with(7, 1e-3)), core::Verdict::xfailed);
  EXPECT_EQ(says("ratio_max = 7\n", with(8, 1e-3)), core::Verdict::failed);
  Measured special = with(7, 1e-3);
  special.n_bad = 1;
  special.n_nan_differ = 1;
  special.specials_differ = true;
  EXPECT_EQ(says("", special), core::Verdict::failed);
  EXPECT_THAT(judge(expected(""), facts(), {special, {}}, day).why, HasSubstr("no rule excuses a NaN"));
}

TEST(Policy, OutputsHaveBudgetsOfTheTotalError) {
  const Policy policy = of("[output]\n\"layer0/*\" = { snr_db = \">= 60\", max_abs = 5e-3 }\n");
  EXPECT_EQ(judge(policy, facts(), {with(0.5, 1e-2), with(0, 1e-4)}, day).verdict, core::Verdict::passed);
  const Judgement over = judge(policy, facts(), {with(0.5, 1e-4), with(0, 1e-2)}, day);
  EXPECT_EQ(over.verdict, core::Verdict::failed);
  EXPECT_EQ(over.why,
            "the total of layer0/q is beyond [output] 'layer0/*' (p.toml:3): max_abs is 0.01, at most 0.005 is "
            "required; snr_db is 40, at least 60 is required");
  EXPECT_EQ(over.total_beyond, "[output]");
  Facts other = facts();
  other.node = "layer1/q";
  EXPECT_EQ(judge(policy, other, {with(0.5, 1e-4), with(0, 1e-2)}, day).verdict, core::Verdict::passed);
  const Policy total = of(rule("r", "", "part = \"total\"\nrequire = { max_abs = 1e-3 }"));
  EXPECT_EQ(judge(total, facts(), {with(9, 1), with(0, 1e-4)}, day).verdict, core::Verdict::passed);
  EXPECT_EQ(judge(total, facts(), {with(0, 0), with(0, 1e-2)}, day).total_beyond, "its rule");
}

TEST(Policy, EveryLimitThatFailsIsTold) {
  const Measured m = with(0.5, 1e-2);  // max_ulp 7, rel_l2 1e-2, snr 40 dB
  const auto says = [&](const std::string& body, const Measured& local, const Measured& total) {
    return judge(of(body), facts(), {local, total}, day);
  };
  const Judgement ruled =
      says(rule("r", "", "require = { max_abs = 1, rel_l2 = 1e-3, snr_db = 60 }\nalso = { max_ulp = 2 }"), m, m);
  EXPECT_EQ(ruled.verdict, core::Verdict::failed);
  EXPECT_EQ(ruled.why,
            "rel_l2 is 0.01, at most 0.001 is required; snr_db is 40, at least 60 is required; max_ulp is 7, at most 2 "
            "is required: rule r (p.toml:2)");
  EXPECT_EQ(ruled.total_beyond, "");
  // A node that fails by its rule is told of its total, too, and by every budget that names it.
  const Judgement both = says(rule("r", "", "require = { max_abs = 0 }") +
                                  "[output]\n\"*\" = { max_abs = 1e-3 }\n\"layer0/q\" = { max_ulp = 5 }\n",
                              m, m);
  EXPECT_EQ(both.verdict, core::Verdict::failed);
  EXPECT_EQ(both.total_beyond, "");
  for (const char* part : {"max_abs is 0.01, at most 0 is required: rule r", "[output] '*' (p.toml:7): max_abs is 0.01",
                           "[output] 'layer0/q' (p.toml:8): max_ulp is 7, at most 5"})
    EXPECT_THAT(both.why, HasSubstr(part));
  // An unknown measure next to one that is not met does not hide it.
  Measured unknown = m;
  unknown.max_rel = compare::not_computed;
  for (const char* list : {"max_rel = 1, max_abs = 0", "max_abs = 0, max_ulp = 9, max_rel = 1"})
    EXPECT_EQ(verdict("require = {" + std::string(list) + "}", unknown), core::Verdict::failed) << list;
  EXPECT_EQ(verdict("require = { max_rel = 1, max_ulp = 9 }", unknown), core::Verdict::error);
}

TEST(Policy, ExplainsWhichRuleAndWhyNoOther) {
  const Policy policy =
      of(rule("soft", "op = \"softmax\"", "require = { max_abs = 0 }") +
         rule("mine", "op = \"matmul\"", "require = { max_abs = 1 }") + rule("rest", "", "require = { max_abs = 2 }"));
  EXPECT_EQ(explain(policy, facts(), {with(0.5, 1e-3), {}}, day),
            "layer0/q (matmul, f16->f16, accumulation f32, k_reduce 256, kernel 'coopmat_f16_split4', "
            "tile '128x128x32') on 'AMD Radeon', driver 'radv' 25.3.1:\n"
            "  soft (p.toml:2): no: op is 'matmul', wanted 'softmax'\n"
            "  mine (p.toml:6): matches\n"
            "  1 rules after it were not asked\n"
            "  passed\n");
}

TEST(PolicyLint, FindsExpiredShadowedAndLooseRules) {
  const Policy policy =
      of(rule("old", "", "require = { max_abs = 0 }\nexpires = 2026-05-31") +
         rule("wide", "op = [\"matmul\", \"conv*\"], k_reduce = \">=64\"", "require = { max_abs = 1 }") +
         rule("narrow", "op = \"conv\", dtype = \"f16\", k_reduce = \">64\"", "require = { max_abs = 0 }") +
         rule("small", "op = \"conv\", k_reduce = \"<64\"", "require = { ratio_max = 1.5 }"));
  EXPECT_THAT(lint(policy, day), ElementsAre("p.toml:2: rule old: expired on 2026-05-31",
                                             "p.toml:11: rule narrow: shadowed by rule wide (p.toml:7)",
                                             "p.toml:15: rule small: looser than the bound: ratio_max above 1"));
  EXPECT_THAT(lint(of(rule("a", "op = \"fft\"", "require = { any = [{ max_abs = 0 }, { ratio_max = 2 }] }")), day),
              ElementsAre(HasSubstr("looser")));
  const auto expired = expired_rules(policy, day);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].text, "rule old expired on 2026-05-31, matches nothing");
  EXPECT_EQ(expired[0].code({}), core::ExitCode::passed);
  EXPECT_EQ(expired[0].code({.strict = true}), core::ExitCode::mistrusted);
}

TEST(PolicyLint, FindsWhatGatesNothing) {
  const auto findings = [](const std::string& body) { return lint(of(body), day); };
  const std::string nothing = "gates nothing: zeros in place of numbers as large as 65504 ";
  for (const char* require :
       {"allclose = { rtol = 1e300, atol = 1e300 }", "allclose = { rtol = 1, atol = 0 }", "max_abs = 1e300",
        "max_abs = \"2 * m\"", "max_rel = 1", "rel_l2 = 1", "nmse = 2", "cosine = 0", "snr_db = 0", "max_ulp = 1e12",
        "any = [{ max_abs = 0 }, { rel_l2 = 7 }]", "max_abs = 1e300, max_ulp = 1e300"}) {
    EXPECT_THAT(findings(rule("r", "", "require = {" + std::string(require) + "}")),
                ElementsAre("p.toml:2: rule r: " + nothing + "pass"))
        << require;
    EXPECT_THAT(findings(rule("r", "op = \"fft\", k_reduce = \">=64\"", "require = {" + std::string(require) + "}")),
                ElementsAre(HasSubstr("rule r: gates nothing")));
  }
  EXPECT_THAT(findings("[output]\ny = { rel_l2 = 1e-3 }\nz = { max_abs = 1e300, rel_l2 = 1 }\n"),
              ElementsAre("p.toml:4: [output] 'z' " + nothing + "pass"));
  const std::string known = "verdict = \"xfail\"\nreason = \"r\"\nexpires = ";
  EXPECT_THAT(findings(rule("r", "", known + "2026-06-02\nratio_max = 1e300")),
              ElementsAre("p.toml:2: rule r: " + nothing + "are excused"));
  EXPECT_THAT(findings(rule("r", "", known + "2026-06-02\nratio_max = 1e300\nrequire = { max_abs = 0 }")),
              ElementsAre(HasSubstr("are excused")));
  // A rule with a day is held to it, whatever it requires.
  EXPECT_THAT(findings(rule("r", "", known + "9999-12-31")),
              ElementsAre("p.toml:2: rule r: expires on 9999-12-31, more than two years from now"));
  EXPECT_THAT(findings(rule("r", "", "require = { max_abs = 1 }\nexpires = 2028-06-02")),
              ElementsAre(HasSubstr("more than two years")));
  EXPECT_THAT(findings(rule("r", "", known + "2028-06-01")), ElementsAre());
  EXPECT_THAT(lint(of(rule("r", "", known + "2030-02-28")), std::chrono::year{2028} / 2 / 29), ElementsAre());
  EXPECT_THAT(lint(of(rule("r", "", known + "2030-03-01")), std::chrono::year{2028} / 2 / 29),
              ElementsAre(HasSubstr("more than two years")));
  EXPECT_THAT(findings("[budget]\nfalse_alarm_per_run = 1\nmax_vacuity = 1\nmin_power = 0\n"),
              ElementsAre(HasSubstr("p.toml:2: [budget] false_alarm_per_run = 1: a clean run fails that often"),
                          HasSubstr("[budget] max_vacuity = 1: hardly anything exceeds it"),
                          HasSubstr("[budget] min_power = 0: no fault has to be caught")));
  EXPECT_THAT(findings("[special]\nnan = \"ignore\"\n"),
              ElementsAre("p.toml:2: [special] nan = \"ignore\" without a reason: results that are NaN pass"));
  // A policy as a team would check it in.
  EXPECT_THAT(findings("[special]\nnan = \"ignore\"\nreason = \"masked rows\"\n[budget]\nfalse_alarm_per_run = 1e-3\n"
                       "max_vacuity = 0.3\nmin_power = 0.9\n" +
                       rule("a", "op = \"matmul\"", "require = { max_abs = 0.5, rel_l2 = 1e-2, max_ulp = 4096 }") +
                       rule("b", "op = \"conv\"", "require = { allclose = { rtol = 1e-2, atol = 1e-2 } }") +
                       rule("c", "op = \"softmax\"", "require = { cosine = 0.99 }\nalso = { mean_signed_sigma = 6 }") +
                       rule("d", "op = \"*fft\"",
                            "require = { any = [{ rel_l2 = \"1.5*u*sqrt(log2(n))\" }, { bitwise = "
                            "true }] }") +
                       rule("e", "", known + "2026-12-31\nratio_max = 1e4")),
              ElementsAre());
}

TEST(PolicyValue, Versions) {
  EXPECT_EQ(first_version("Mesa 22.3.6 (LLVM 15.0.6)"), (Version{22, 3, 6}));
  EXPECT_EQ(first_version("none"), Version{});
  EXPECT_EQ(first_version("99999999999999999999"), Version{});
  EXPECT_TRUE(parse_test("<26.1").holds({26, 0, 9}));
  EXPECT_FALSE(parse_test("<26.1").holds({26, 1}));
  EXPECT_TRUE(parse_test("== 26.1").holds({26, 1, 0}));
  EXPECT_DOUBLE_EQ(evaluate("1.5 * u * sqrt(log2(n))", {.n = 16, .u = 0.5}), 1.5);
  EXPECT_DOUBLE_EQ(evaluate("-2 + 3*(k - 1)/2", {.k = 5}), 4);
  EXPECT_DOUBLE_EQ(evaluate("norm1 + norm2 / m", {.norm1 = 1, .norm2 = 6, .m = 3}), 3);
  EXPECT_DOUBLE_EQ(evaluate("min(1, 2) + max(abs(-3), pi*0)", {}), 4);
}

TEST(PolicyValue, ATestCoversWhatItImplies) {
  const auto covers = [](const char* outer, const char* inner) { return parse_test(outer).covers(parse_test(inner)); };
  EXPECT_TRUE(covers(">=64", ">64"));
  EXPECT_FALSE(covers(">64", ">=64"));
  EXPECT_TRUE(covers("<64", "<64"));
  EXPECT_FALSE(covers("<64", "<=64"));
  EXPECT_TRUE(covers("<=64", "64"));
  EXPECT_FALSE(covers("64", "<=64"));
  EXPECT_FALSE(covers("<64", ">1"));
}

}  // namespace
}  // namespace plumb::parity::policy::policy_test
