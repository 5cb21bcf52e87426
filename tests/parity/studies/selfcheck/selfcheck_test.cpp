// A gate that cannot fail is found, as is one that cannot pass; and a list of checks comes to the right exit code.
#include <gtest/gtest.h>

#include <array>

#include "ir/error.hpp"
#include "library/reference.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/studies/selfcheck/gate.hpp"
#include "parity/studies/selfcheck/small_cases.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/parity/suspect.hpp"

namespace plumb::parity::studies::selfcheck {
namespace {

using core::ExitCode;

Status status_of(const Found& found) { return found.status; }

ExitCode code_of(const std::vector<std::function<Found()>>& checks) {
  Checklist list([](const Check&) {});
  for (const auto& check : checks) list.run(Area::files, "one", check);
  return list.exit_code();
}

TEST(Checklist, EndsAsItsChecksDo) {
  Found no_driver = failed("no driver", "install one");
  no_driver.lacks_a_device = true;
  const auto good = [] { return ok("good"); };
  const auto absent = [&] { return no_driver; };
  const auto bad = [] { return failed("bad", "report it"); };
  EXPECT_EQ(code_of({good, good}), ExitCode::passed);
  EXPECT_EQ(code_of({good, [] { return skipped("no device"); }}), ExitCode::passed);
  EXPECT_EQ(code_of({good, absent}), ExitCode::nothing_ran);
  EXPECT_EQ(code_of({good, bad, absent}), ExitCode::failed);
  EXPECT_EQ(code_of({[]() -> Found { throw ir::Error("a full disk"); }}), ExitCode::failed);
  EXPECT_EQ(code_of({[]() -> Found { throw ir::Unsupported("no kernel"); }}), ExitCode::passed);
}

TEST(Checklist, SaysWhatToDo) {
  std::string told;
  Checklist list([&](const Check& check) { told += to_text(check); });
  list.run(
      Area::caches, "cache", []() -> Found { throw ir::Error("it is full"); }, "empty it");
  EXPECT_EQ(told, "failed   cache         it is full\n                       remedy: empty it\n");
  EXPECT_EQ(summary(list.checks()).substr(0, 35), "1 checks: 0 ok, 1 failed, 0 skipped");
  EXPECT_NE(to_json(list).find("\"remedy\": \"empty it\""), std::string::npos);
}

TEST(Trials, FindAGateThatCannotFailAndOneThatCannotPass) {
  const std::array trials = {Trial{.what = "right", .words = {"good"}, .wanted = ExitCode::passed},
                             Trial{.what = "wrong", .words = {"bad"}, .wanted = ExitCode::failed}};
  const auto honest = [](const Trial& one) { return one.words[0] == "good" ? 0 : 1; };
  EXPECT_EQ(end_as_wanted(trials, honest).text, "right: 0, wrong: 1");
  EXPECT_EQ(status_of(end_as_wanted(trials, honest)), Status::ok);
  const Found blind = end_as_wanted(trials, [](const Trial&) { return 0; });
  EXPECT_EQ(blind.text, "wrong: 0, wanted 1");
  EXPECT_EQ(blind.status, Status::failed);
  EXPECT_EQ(end_as_wanted(trials, [](const Trial&) { return 1; }).text, "right: 1, wanted 0");
  EXPECT_EQ(status_of(end_as_wanted(trials, [](const Trial&) { return -1; })), Status::failed);
}

policy::Gate gate_of(const std::string& require) {
  const std::string text =
      "schema = \"plumb-policy/1\"\n[[rule]]\nid = \"all\"\nmatch = {}\nrequire = " + require + "\n";
  return {.policy = policy::parse(text, "p.toml"), .today = policy::today()};
}

TEST(Gate, SeesFaultsOfEveryFamilyAndAPolicyThatSeesNone) {
  ref_cpu::CpuExecutor honest = library::reference_executor();
  const cases::Executors executors{.reference = honest, .candidate = &honest, .candidate_is_host = true};
  const policy::Gate bound = gate_of("{ ratio_max = 1 }"), lax = gate_of("{ max_abs = 1e30 }");
  const Planted planted = plant_faults(executors, &bound);
  EXPECT_EQ(planted.families, 12u);
  EXPECT_TRUE(planted.unseen.empty()) << planted.unseen.front();
  EXPECT_GE(planted.required, 300u);
  EXPECT_GE(planted.caught, planted.required / 10 * 9);
  EXPECT_EQ(status_of(policy_can_fail(executors, lax)), Status::failed);
}

TEST(Gate, DoesNotTakeTheHostForADevice) {
  ref_cpu::CpuExecutor honest = library::reference_executor();
  EXPECT_EQ(status_of(host_is_no_device(honest)), Status::ok);
}

constexpr std::array small = {SmallCase{"small", testing::small_graph}};

TEST(SmallCases, AreHeldToTheTruthAndToEachOther) {
  ref_cpu::CpuExecutor reference = library::reference_executor();
  testing::Suspect honest;
  const auto held_by = [&](testing::Suspect& suspect) {
    return hold(small, {.reference = reference, .candidate = &suspect, .candidate_is_host = true}, {.repeat = 2});
  };
  const Held held = held_by(honest);
  EXPECT_EQ(held.passed, 1u);
  EXPECT_GT(held.elements, 0u);
  testing::Suspect spoiled = testing::spoiler("weights", [](ir::Tensor& x) { x.as<float>()[3] += 1; });
  const Held other = held_by(spoiled);
  ASSERT_EQ(other.wrong.size(), 1u);
  EXPECT_EQ(other.wrong[0].substr(0, 14), "small: failed:");
  const std::array<ir::Executor*, 2> alike = {&honest, &honest}, unlike = {&honest, &spoiled};
  EXPECT_TRUE(differing(small, alike).empty());
  EXPECT_EQ(differing(small, unlike), std::vector<std::string>{"small"});
  const Held none = hold(small, {.reference = reference, .candidate = &honest, .candidate_is_host = true},
                         {.time = std::chrono::seconds(-1)});
  EXPECT_EQ(none.left, 1u);
  EXPECT_EQ(none.all, 0u);
}

}  // namespace
}  // namespace plumb::parity::studies::selfcheck
