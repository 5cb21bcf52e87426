#include "parity/results/judged_lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/policy/policy_text.hpp"

namespace plumb::parity::results::judged_lint_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JudgedLint, FindsUnusedRulesAndWhatPassesBeyondTheBound) {
  const policy::Policy policy = policy::of(policy::rule("used", "op = \"matmul\"", "require = { max_abs = 1 }") +
                                           policy::rule("idle", "op = \"conv2d\"", "require = { max_abs = 1 }") +
                                           "[output]\nlogits = { max_abs = 1 }\ny = { max_abs = 1 }\n");
  JudgedRun run;
  run.nodes.push_back({.name = "y",
                       .op = "matmul",
                       .verdict = core::Verdict::passed,
                       .rule = 0,
                       .within_bound = false,
                       .was_compared = true});
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}),
              ElementsAre("p.toml:2: rule used: looser than the bound: 1 outputs pass that the bound fails",
                          "p.toml:6: rule idle: unused: it decides no output",
                          "p.toml:11: [output] 'logits' unused: there is no such output"));
  run.nodes[0].within_bound = true;
  const policy::Policy clean = policy::of(policy::rule("used", "op = \"matmul\"", "require = { max_abs = 1 }"));
  EXPECT_THAT(lint(clean, policy::day, std::vector{run}), IsEmpty());
}

TEST(JudgedLint, FindsALimitOfVacuityThatNoRunSays) {
  const policy::Policy policy = policy::of("[budget]\nmin_power = 0.9\nmax_vacuity = 0.3\n");
  JudgedRun run;
  run.nodes.push_back({.name = "y", .op = "matmul", .was_compared = true});
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}),
              ElementsAre("p.toml:2: [budget] max_vacuity unused: no run says the vacuity of an output"));
  run.nodes[0].vacuity = 0;
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}), IsEmpty());
}

}  // namespace
}  // namespace plumb::parity::results::judged_lint_test
