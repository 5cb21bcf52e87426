// Quarantines: which incident they excuse, on which days, and what they must say.
#include <gmock/gmock.h>

#include <cmath>

#include "ir/error.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_lint.hpp"

namespace plumb::testing::quarantine_test {
namespace {

using namespace parity::policy;
using ::testing::HasSubstr;

constexpr std::string_view good = R"(schema = "plumb-policy/1"
[[quarantine]]
id = "merge"
owner = "kernels"
issue = "issue 12"
since = 2026-10-01
expires = 2026-12-29
match = { node = "layer*/merge", driver = "nvidia <590" }
kind = ["nondeterministic", "device_fault"]
ratio_max = 4
)";

std::string with(std::string_view was, std::string_view is) {
  std::string text(good);
  text.replace(text.find(was), was.size(), is);
  return text;
}

std::chrono::sys_days day(int month, int day) { return std::chrono::year(2026) / month / day; }

const Quarantine* found(const Policy& policy, Incident incident, double ratio = 2, std::string driver = "nvidia",
                        std::string node = "layer1/merge", std::chrono::sys_days today = day(11, 1)) {
  Facts facts{.node = std::move(node), .driver = std::move(driver), .driver_version = {580}};
  return quarantine_of(policy, facts, incident, ratio, today);
}

TEST(Quarantine, ExcusesItsIncidentsAtItsNodesWhileItLasts) {
  const Policy policy = parse(good, "p.toml");
  EXPECT_NE(found(policy, Incident::nondeterministic), nullptr);
  EXPECT_EQ(found(policy, Incident::failed), nullptr);
  EXPECT_EQ(found(policy, Incident::nondeterministic, 4.5), nullptr);
  EXPECT_EQ(found(policy, Incident::nondeterministic, 2, "radv"), nullptr);
  EXPECT_EQ(found(policy, Incident::nondeterministic, 2, "nvidia", "layer1/out"), nullptr);
  EXPECT_EQ(found(policy, Incident::nondeterministic, 2, "nvidia", "layer1/merge", day(9, 30)), nullptr);
  EXPECT_NE(found(policy, Incident::nondeterministic, 2, "nvidia", "layer1/merge", day(12, 29)), nullptr);
  EXPECT_EQ(found(policy, Incident::nondeterministic, 2, "nvidia", "layer1/merge", day(12, 30)), nullptr);
}

TEST(Quarantine, ThatIsWornOutExcusesNothing) {
  Policy policy = parse(std::string(good) + "max_rate = 0.05\n", "p.toml");
  EXPECT_EQ(policy.quarantines[0].max_rate, 0.05);
  EXPECT_NE(found(policy, Incident::nondeterministic), nullptr);
  policy.quarantines[0].worn_out = "too many incidents";
  EXPECT_EQ(found(policy, Incident::nondeterministic), nullptr);
  for (const char* const rate : {"0", "1.5", "-1", "nan"})
    EXPECT_THROW(parse(std::string(good) + "max_rate = " + rate + "\n", "p.toml"), ir::Error) << rate;
}

TEST(Quarantine, OfADeviceFaultAsksForTheDeviceAlone) {
  const Policy policy = parse(good, "p.toml");
  EXPECT_NE(found(policy, Incident::device_fault, std::nan(""), "nvidia", ""), nullptr);
  EXPECT_EQ(found(policy, Incident::device_fault, std::nan(""), "radv", ""), nullptr);
}

TEST(Quarantine, ExcusesNoNumbersWithoutARatio) {
  const Policy policy = parse(with(R"(["nondeterministic", "device_fault"])", R"("failed")"), "p.toml");
  EXPECT_NE(found(policy, Incident::failed, 4), nullptr);
  EXPECT_EQ(found(policy, Incident::failed, std::nan("")), nullptr);
  EXPECT_EQ(found(policy, Incident::failed, HUGE_VAL), nullptr);
}

TEST(Quarantine, SaysWhereItIsWrong) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      parse(text, "p.toml");
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  for (const char* key : {"id", "owner", "issue", "since", "expires", "match", "kind"}) {
    const std::string line = std::string("\n") + key + " = ", text(good);
    const std::size_t at = text.find(line), end = text.find('\n', at + 1);
    EXPECT_EQ(problem(std::string(text).erase(at, end - at)),
              std::string("p.toml:2: quarantine 1: wanted a key '") + key + "'");
  }
  EXPECT_THAT(problem(with("2026-12-29", "2026-12-31")), HasSubstr("p.toml:7: expires: wanted at most 90 days"));
  EXPECT_THAT(problem(with("2026-12-29", "2026-09-29")), HasSubstr("p.toml:7: expires: it lies before since"));
  EXPECT_THAT(problem(with("device_fault", "lost")), HasSubstr("p.toml:9: kind: wanted one of nondeterministic"));
  EXPECT_THAT(problem(with("ratio_max = 4", "ratio_max = 0.5")), HasSubstr("p.toml:10: ratio_max: wanted a number"));
  EXPECT_THAT(problem(with("ratio_max", "max_rate")), HasSubstr("p.toml:10: max_rate: wanted a share"));
  EXPECT_THAT(problem(with("ratio_max", "max_ratio")), HasSubstr("found 'max_ratio'"));
}

TEST(Quarantine, LintNamesThoseThatEndedAndThoseThatAreAboutTo) {
  const Policy policy = parse(good, "p.toml");
  EXPECT_TRUE(lint(policy, day(11, 1)).empty());
  EXPECT_EQ(lint(policy, day(12, 20)), std::vector<std::string>{"p.toml:2: quarantine merge: ends on 2026-12-29"});
  EXPECT_EQ(lint(policy, day(12, 30)), std::vector<std::string>{"p.toml:2: quarantine merge: ended on 2026-12-29"});
  EXPECT_EQ(expired_rules(policy, day(12, 30)).size(), 1u);
}

}  // namespace
}  // namespace plumb::testing::quarantine_test
