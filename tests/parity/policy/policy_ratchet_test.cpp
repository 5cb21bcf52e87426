#include "parity/policy/policy_ratchet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/policy/policy_text.hpp"

namespace plumb::parity::policy::policy_ratchet_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

std::vector<std::string> ratchet(const std::string& now, const std::string& before) {
  return ratchet(of(now, "new.toml"), of(before, "old.toml"), day);
}

std::string requiring(const std::string& require) { return rule("r", "", "require = {" + require + "}"); }

TEST(PolicyRatchet, ALooserLimitNeedsAReason) {
  for (const auto& [tight, loose] :
       {std::pair{"max_abs = 1e-4", "max_abs = 1e-3"},
        {"ratio_max = 0.5", "bound = \"auto\""},
        {"bound = \"auto\"", "max_abs = 1e-9"},
        {"snr_db = 60", "snr_db = 59"},
        {"max_abs = \"2 * u * sqrt(n)\"", "max_abs = \"2 * u * n\""},
        {"rel_l2 = \"u * norm2\"", "rel_l2 = \"u * norm1\""},
        {"max_ulp = 1, max_abs = 1", "max_ulp = 1"},
        {"max_ulp = 1", "any = [{ max_ulp = 1 }, { max_abs = 1 }]"},
        {"any = [{ max_ulp = 1 }, { bitwise = true }]", "any = [{ max_ulp = 2 }, { bitwise = true }]"},
        {"allclose = { rtol = 1, atol = 0 }", "allclose = { rtol = 1, atol = 1 }"},
        {"bitwise = true", "ratio_max = 0.1"}}) {
    EXPECT_THAT(ratchet(requiring(loose), requiring(tight)), ElementsAre(HasSubstr("a reason is wanted"))) << loose;
    EXPECT_THAT(ratchet(requiring(loose) + "reason = \"why\"\n", requiring(tight)), IsEmpty()) << loose;
    EXPECT_THAT(ratchet(requiring(tight), requiring(tight)), IsEmpty()) << tight;
  }
  EXPECT_THAT(ratchet(requiring("max_abs = 1e-3"), requiring("max_abs = 1e-4")),
              ElementsAre("new.toml:2: rule r (new.toml:2) asks for less than rule r (old.toml:2): max_abs may be "
                          "worse; a reason is wanted"));
  EXPECT_THAT(ratchet(requiring("bitwise = true"), requiring("bound = \"auto\"")), IsEmpty());
  EXPECT_THAT(ratchet(requiring("max_ulp = 1"), requiring("any = [{ max_ulp = 2 }, { max_abs = 1 }]")), IsEmpty());
}

TEST(PolicyRatchet, YesterdaysReasonIsNoReasonForToday) {
  const std::string why = "reason = \"why\"\n", other = "reason = \"and why again\"\n";
  EXPECT_THAT(ratchet(requiring("max_abs = 3") + why, requiring("max_abs = 2") + why).size(), 1u);
  EXPECT_THAT(ratchet(requiring("max_abs = 3") + other, requiring("max_abs = 2") + why), IsEmpty());
}

TEST(PolicyRatchet, SeesWhichRuleDecidesInPlaceOfAnother) {
  const std::string tight = rule("gemm", "op = \"matmul\"", "require = { max_ulp = 1 }");
  const std::string rest = rule("rest", "", "require = { max_ulp = 9 }");
  EXPECT_THAT(ratchet(tight + rest, tight + rest), IsEmpty());
  EXPECT_THAT(ratchet(rest, tight + rest),
              ElementsAre(HasSubstr("rule rest (new.toml:2) asks for less than rule gemm")));
  EXPECT_THAT(ratchet(rest + tight, tight + rest), ElementsAre(HasSubstr("rule rest")));
  EXPECT_THAT(ratchet("", requiring("ratio_max = 0.5")), ElementsAre(HasSubstr("the bound asks for less than rule r")));
  EXPECT_THAT(ratchet(rule("new", "op = \"fft\"", "require = { max_abs = 1 }"), ""),
              ElementsAre(HasSubstr("rule new (new.toml:2) asks for less than the bound")));
  EXPECT_THAT(ratchet(rule("new", "op = \"fft\"", "require = { ratio_max = 0.9 }"), ""), IsEmpty());
  const std::string other_op = rule("conv", "op = \"conv*\"", "require = { max_ulp = 5 }");
  EXPECT_THAT(ratchet(tight + other_op + rest, tight + rest), IsEmpty());
}

TEST(PolicyRatchet, AnExpectedFailureIsLooserAndSoIsALongerOne) {
  const auto known = [](const std::string& reason, const std::string& until) {
    return rule("known", "op = \"softmax\"", "verdict = \"xfail\"\nreason = \"" + reason + "\"\nexpires = " + until);
  };
  EXPECT_THAT(ratchet(known("bug 1", "2026-12-31"), ""), IsEmpty());
  EXPECT_THAT(ratchet(known("bug 1", "2027-12-31"), known("bug 1", "2026-12-31")),
              ElementsAre(HasSubstr("expects a failure for longer")));
  EXPECT_THAT(ratchet(known("bug 1, no fix yet", "2027-12-31"), known("bug 1", "2026-12-31")), IsEmpty());
  EXPECT_THAT(ratchet("", known("bug 1", "2026-12-31")), IsEmpty());
  EXPECT_THAT(ratchet(known("bug 1", "2026-12-31\nratio_max = 200"), known("bug 1", "2026-12-31")),
              ElementsAre(HasSubstr("expects a larger failure")));
}

TEST(PolicyRatchet, AQuarantineThatExcusesMoreWantsAnotherIssue) {
  const auto flicker = [](const std::string& id, const std::string& issue, const std::string& rest = "",
                          const std::string& node = "a", const std::string& until = "07-30") {
    return "[[quarantine]]\nid = \"" + id + "\"\nowner = \"o\"\nissue = \"" + issue +
           "\"\nsince = 2026-06-01\nexpires = 2026-" + until + "\nmatch = { node = \"" + node + "\" }\n" +
           (rest.empty() ? "kind = \"nondeterministic\"\n" : rest);
  };
  const std::string old = flicker("q", "bug 1");
  EXPECT_THAT(ratchet(old, ""), IsEmpty());
  EXPECT_THAT(ratchet("", old), IsEmpty());
  EXPECT_THAT(ratchet(old, old), IsEmpty());
  const std::string longer = flicker("q", "bug 1", "", "a", "08-15");
  EXPECT_THAT(
      ratchet(longer, old),
      ElementsAre("new.toml:2: quarantine q lasts until 2026-08-15, which q (old.toml:2) did not; another issue "
                  "is wanted"));
  EXPECT_THAT(ratchet(flicker("q", "bug 2", "", "a", "08-15"), old), IsEmpty());
  EXPECT_THAT(ratchet(old, longer), IsEmpty());
  EXPECT_THAT(ratchet(flicker("p", "bug 1", "", "a", "08-15"), old),
              ElementsAre(HasSubstr("quarantine p lasts until")));
  EXPECT_THAT(ratchet(flicker("q", "bug 1", "kind = [\"nondeterministic\", \"failed\"]\n"), old),
              ElementsAre(HasSubstr("excuses failed, too")));
  EXPECT_THAT(ratchet(flicker("q", "bug 1", "", "*"), old), ElementsAre(HasSubstr("excuses other nodes")));
  EXPECT_THAT(ratchet(old, flicker("q", "bug 1", "", "*")), IsEmpty());
  const std::string tight = flicker("q", "bug 1", "kind = \"nondeterministic\"\nratio_max = 2\nmax_rate = 0.05\n");
  EXPECT_THAT(ratchet(tight, old), IsEmpty());
  EXPECT_THAT(ratchet(old, tight), ElementsAre(HasSubstr("excuses larger failures")));
}

TEST(PolicyRatchet, BudgetsAndNansHaveReasonsOfTheirOwn) {
  const std::string tight = "[output]\ny = { max_abs = 1 }\n";
  EXPECT_THAT(ratchet("", tight), ElementsAre(HasSubstr("'y' is held to nothing any more (old.toml:3)")));
  EXPECT_THAT(ratchet("[output]\ny = { max_abs = 2 }\n", tight),
              ElementsAre(HasSubstr("new.toml:3: [output] 'y' asks")));
  EXPECT_THAT(ratchet("[output]\ny = { max_abs = 2, reason = \"why\" }\n", tight), IsEmpty());
  EXPECT_THAT(ratchet("[output]\n\"*\" = { max_abs = 0.5 }\n", tight), IsEmpty());
  EXPECT_THAT(ratchet("[special]\nnan = \"ignore\"\n", ""), ElementsAre(HasSubstr("nan = \"ignore\" was \"match\"")));
  EXPECT_THAT(ratchet("[special]\nnan = \"ignore\"\nreason = \"why\"\n", ""), IsEmpty());
  EXPECT_THAT(ratchet("[special]\nnan = \"forbid\"\n", ""), IsEmpty());
  const std::string keep = "[special]\nsubnormal = \"keep\"\n", flush = "[special]\nsubnormal = \"flush\"\n";
  EXPECT_THAT(ratchet("", keep), ElementsAre(HasSubstr("subnormal = \"profile\" was \"keep\"")));
  EXPECT_THAT(ratchet(flush, ""), ElementsAre(HasSubstr("subnormal = \"flush\" was \"profile\"")));
  EXPECT_THAT(ratchet(keep, flush), IsEmpty());
  const std::string budget = "[budget]\nmin_power = 0.9\nmax_vacuity = 0.3\n";
  EXPECT_THAT(ratchet("", budget), ElementsAre(HasSubstr("min_power was 0.9"), HasSubstr("max_vacuity was 0.3")));
  EXPECT_THAT(ratchet("[budget]\nmin_power = 0.8\nmax_vacuity = 0.3\nreason = \"why\"\n", budget), IsEmpty());
}

}  // namespace
}  // namespace plumb::parity::policy::policy_ratchet_test
