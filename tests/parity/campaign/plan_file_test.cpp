// Plans of campaigns, and lists of their tasks.
#include "parity/campaign/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/noise.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::campaign_plan_test {
namespace {

using parity::campaign::Kind;
using parity::campaign::Plan;
using parity::campaign::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Plan plan_of(const std::string& text) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  const auto file = folder.path / "plan.toml";
  std::ofstream(file) << "schema = \"plumb-campaign/1\"\n" << text;
  return parity::campaign::read_plan(file);
}

TEST(CampaignPlan, NumbersKeepTheirDigits) {
  const Plan plan = plan_of(R"(
[[job]]
kind = "verify"
cases = ["a"]
with = { rtol = 0.00012345678, atol = 1e-9 }
)");
  ASSERT_THAT(plan.jobs.front().variants, SizeIs(1));
  EXPECT_THAT(plan.jobs.front().variants.front(), ElementsAre("--atol=1e-09", "--rtol=0.00012345678"));
}

TEST(CampaignPlan, ListsMultiplyAndDefaultsGiveWay) {
  const Plan plan = plan_of(R"(
defaults = { policy = "ci.toml", retries = 1, timeout = "20m" }
[[job]]
kind = "verify"
cases = ["graphs", "models/*.onnx"]
seeds = 30
with = { dtype = ["f32", "f16"], metamorphic = [true, false], repeat = 2 }
[[job]]
kind = "fuzz"
count = 100
retries = 0
[devices]
use = ["NVIDIA*"]
)");
  ASSERT_THAT(plan.jobs, SizeIs(2));
  EXPECT_THAT(plan.jobs[0].cases, ElementsAre("graphs", "models/*.onnx"));
  EXPECT_THAT(
      plan.jobs[0].variants,
      ElementsAre(ElementsAre("--dtype=f32", "--metamorphic", "--repeat=2"), ElementsAre("--dtype=f32", "--repeat=2"),
                  ElementsAre("--dtype=f16", "--metamorphic", "--repeat=2"), ElementsAre("--dtype=f16", "--repeat=2")));
  EXPECT_EQ(plan.jobs[0].policy, "ci.toml");
  EXPECT_EQ(plan.jobs[0].retries, 1u);
  EXPECT_EQ(plan.jobs[0].timeout, 1200);
  EXPECT_EQ(plan.jobs[1].kind, Kind::fuzz);
  EXPECT_EQ(plan.jobs[1].policy, "");
  EXPECT_EQ(plan.jobs[1].retries, 0u);
  EXPECT_THAT(plan.devices, ElementsAre("NVIDIA*"));
  EXPECT_FALSE(plan.every);
}

TEST(CampaignPlan, SaysWhereItIsWrong) {
  const auto refusal = [](const std::string& text) { return tests::message_of([&] { plan_of(text); }); };
  EXPECT_THAT(refusal(""), HasSubstr("plan.toml: has no [[job]]"));
  EXPECT_THAT(refusal("job = 3"), HasSubstr("plan.toml:2: job must be a list of tables, [[job]], found an integer"));
  EXPECT_THAT(refusal("[[job]]\ncases = [\"a\"]"), HasSubstr("plan.toml:2: this job has no kind"));
  EXPECT_THAT(refusal("defaults = { retires = 2 }\n"),
              HasSubstr("plan.toml:2: there is no key 'retires' of defaults; did you mean retries"));
  EXPECT_THAT(refusal("[[job]]\nkind = \"verify\"\ncases = \"a\""),
              HasSubstr("plan.toml:4: cases must be a list of strings, found a string"));
  EXPECT_THAT(refusal("[[job]]\nkind = \"verify\"\ncases = [\"a\"]\nwith = { dtype = [] }"),
              HasSubstr("plan.toml:5: with: 'dtype' is an empty list"));
  EXPECT_THAT(refusal("[[job]]\nkind = \"verify\"\ncases = [\"a\"]\nwith = { device = \"x\" }"),
              HasSubstr("with: 'device' is not for a job to say so"));
  EXPECT_THAT(refusal("[[job]]\nkind = \"verify\"\ncases = [\"a\"]\nwith = { case-timeout = \"1s\" }"),
              HasSubstr("with: 'case-timeout' is not for a job to say so"));
  EXPECT_THAT(refusal("[devices]\nuse = []\n"), HasSubstr("plan.toml:3: use must be a list of strings"));
  EXPECT_THAT(refusal("[[job]\n"), HasSubstr("plan.toml:2: no TOML"));
}

TEST(CampaignTasks, ComeBackAsTheyWereWritten) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  Task task{.kind = Kind::power, .path = "a \"b\".json", .flags = {"--dtype=f16"}, .files = {"x"}, .content = "c"};
  task.devices = {"NVIDIA*"};
  task.retries = 7;
  task.cost = 3;
  task.id = id_of(task);
  Task other = task;
  other.flags = {};
  other.cost = 4;
  other.id = id_of(other);
  EXPECT_NE(task.id, other.id);
  parity::campaign::write_tasks(folder.path, {.folder = "..", .plan = "plan.toml", .tasks = {task, other}});
  const auto list = parity::campaign::read_tasks(folder.path);
  EXPECT_EQ(list.folder, "..");
  ASSERT_THAT(list.tasks, SizeIs(2));
  EXPECT_EQ(list.tasks[0].id, other.id);  // the most expensive
  EXPECT_EQ(list.tasks[1].text(), "power a \"b\".json --dtype=f16");
  EXPECT_EQ(list.tasks[1].retries, 7u);
  Task later = task;
  later.retries = 1;
  later.timeout = 3;
  EXPECT_EQ(id_of(later), task.id);  // how it is run is no part of what it is
}

}  // namespace
}  // namespace plumb::campaign_plan_test
