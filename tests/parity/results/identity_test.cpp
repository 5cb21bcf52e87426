// Which run a run is: what its name is made of, and that results files keep it.
#include "parity/cases/identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "parity/core/sha256.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_case.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::identity_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_case;
using testing::small_graph;
using tests::message_of;
namespace fs = std::filesystem;

TEST(Identity, EachThingOffItsDefaultIsInTheIdAndInTheKey) {
  std::vector<std::pair<cases::Case, cases::RunSettings>> runs(13, {make_case(small_graph), {}});
  runs[1].first.seed = 2;
  runs[2].first.origin.param_seed = 5;
  runs[3].first.dtype = ir::DType::f16;
  runs[4].first.precision = "f16acc32";
  runs[5].first.origin = {.has_given = true, .tensors = core::sha256("numbers")};
  runs[6].second.alternative = 1;
  runs[7].second.fuse = false;
  runs[8].second.knobs = {{"regions", "false"}};
  runs[9].second.knobs = {{"regions", "false"}, {"tile", "32x32x16"}};
  runs[10].second.profile = core::sha256("a profile");
  runs[11].first.fill = core::FillKind::adversarial;
  runs[11].first.adversarial = ir::AdversarialKind::wave;
  runs[12].first.step = 2;
  std::set<std::string> ids, keys;
  for (const auto& [subject, settings] : runs) {
    const cases::Identity identity = cases::identity_of(subject, core::Mode::attribute, settings);
    EXPECT_EQ(identity.key(), core::sha256(identity.subject + identity.options));
    ids.insert(identity.id());
    keys.insert(identity.key());
  }
  EXPECT_EQ(ids.size(), runs.size());
  EXPECT_EQ(keys.size(), runs.size());
  EXPECT_TRUE(ids.contains("small.json"));
  EXPECT_TRUE(ids.contains("small.json set=regions:false,tile:32x32x16"));
  EXPECT_TRUE(ids.contains("small.json fill=adversarial:wave"));
  EXPECT_TRUE(ids.contains("small.json step=2"));
  EXPECT_NE(cases::identity_of(runs[0].first, core::Mode::isolate, {}).key(),
            cases::identity_of(runs[0].first, core::Mode::attribute, {}).key());
}

TEST(Identity, APathIsInNormalFormAndNoPartOfTheKey) {
  cases::Case one = make_case(small_graph), other = one;
  one.name = (fs::current_path() / "graphs" / ".." / "g.json").string();
  other.name = "./h.json";
  const auto a = cases::identity_of(one, core::Mode::attribute, {}),
             b = cases::identity_of(other, core::Mode::attribute, {});
  EXPECT_EQ(a.id(), "g.json");
  EXPECT_EQ(b.id(), "h.json");
  EXPECT_EQ(a.key(), b.key());
}

TEST(Identity, ATensorsHashIsOfItsNameTypeAndBytes) {
  const auto hash = [](const char* name, ir::Tensor tensor) { return cases::hash_of({{name, std::move(tensor)}}, {}); };
  const auto ones = ir::Tensor::of<float>({2}, {1, 1});
  EXPECT_EQ(cases::hash_of({}, {}), "");
  EXPECT_NE(hash("x", ones), hash("y", ones));
  EXPECT_NE(hash("x", ones), hash("x", ir::Tensor::of<float>({1, 2}, {1, 1})));
  EXPECT_NE(hash("x", ones), hash("x", ir::Tensor::of<float>({2}, {1, 2})));
  EXPECT_NE(cases::hash_of({}, {"sr=16000"}), cases::hash_of({}, {"sr=8000"}));
}

class NamedRuns : public ::testing::Test {
 protected:
  NamedRuns() { fs::remove(file_); }
  ~NamedRuns() override { fs::remove(file_); }

  /// A plain run, and one with all that is kept beside the texts.
  void record(bool append) {
    testing::Suspect honest;
    results::Recorder recorder(file_, {.append = append,
                                       .argv = {"/opt/bin/plumb", "verify", "a graph.json"},
                                       .shard = append ? cases::Shard{2, 4} : cases::Shard{},
                                       .partition = append ? "12 digits" : ""});
    cases::Case subject = make_case(small_graph);
    recorder.record(testing::verify_on(honest, subject, {.flags = " --flag"}, recorder));
    subject.origin.plan = "a plan";
    cases::RunSettings settings{.fuse = false, .knobs = {{"step", "true"}}, .profile = core::sha256("p")};
    settings.profile_text = std::make_shared<const std::string>("a profile");
    recorder.record(testing::verify_on(honest, subject, {.settings = settings}, recorder));
    recorder.finish();
  }

  void add(const results::Run& run) {
    auto store = ir::hdf5::Store::open_to_append(file_);
    store.append("/runs", results::run_type(), std::vector{run});
    store.close();
  }

  std::string objection() {
    return message_of([&] { results::ResultsFile(file_).runs(); });
  }

  fs::path file_ = fs::path(::testing::TempDir()) / "plumb_named_runs.h5";
};

TEST_F(NamedRuns, SayWhichTheyWere) {
  record(false);
  record(true);
  EXPECT_THAT(results::check_schema(file_), IsEmpty());
  results::ResultsFile file(file_);
  const auto& runs = file.runs();
  ASSERT_EQ(runs.size(), 4u);
  ASSERT_EQ(file.launches().size(), 2u);
  EXPECT_EQ(file.name(file.launches()[0].argv_id), "plumb verify 'a graph.json'");
  EXPECT_NE(file.launches()[0].uuid, file.launches()[1].uuid);
  const results::Launch &whole = file.launches()[0], &part = file.launches()[1];
  EXPECT_THAT((std::array{whole.shard, whole.shards, part.shard, part.shards}), ::testing::ElementsAre(1, 1, 2, 4));
  EXPECT_EQ(file.name(whole.partition_id), "");
  EXPECT_EQ(file.name(part.partition_id), "12 digits");
  EXPECT_EQ(runs[1].launch, 0u);
  EXPECT_EQ(runs[2].launch, 1u);
  const auto name = [&](std::uint32_t id) { return file.name(id); };
  EXPECT_EQ(name(runs[0].case_id), "small.json");
  EXPECT_EQ(name(runs[1].case_id), "small.json fuse=off set=step:true profile=" + core::sha256("p").substr(0, 12));
  EXPECT_EQ(runs[0].subject_id, runs[2].subject_id);
  EXPECT_EQ(runs[0].options_id, runs[2].options_id);
  EXPECT_NE(runs[0].uuid, runs[2].uuid);
  EXPECT_NE(runs[0].options_id, runs[1].options_id);
  EXPECT_EQ(runs[0].param_seed, 1u);
  EXPECT_EQ(runs[1].fuse, 0u);
  EXPECT_EQ(name(runs[1].set_id), "step:true");
  EXPECT_EQ(name(runs[0].repro_id), "plumb verify small.json --seed 1 --flag");
  EXPECT_EQ(file.text_of("/options/" + name(runs[1].options_id) + "/profile"), "a profile");
  EXPECT_EQ(file.text_of("/subject/" + name(runs[1].subject_id) + "/plan"), "a plan");
  EXPECT_THAT(file.text_of("/options/" + name(runs[1].options_id) + "/text"), HasSubstr("\nstep=true\n"));
  const cases::CaseResult again = results::stored_case(file, runs[1]);
  EXPECT_EQ(again.identity.path, "small.json");
  EXPECT_EQ(again.identity.id(), name(runs[1].case_id));
  EXPECT_EQ(again.nodes.size(), 5u);
}

TEST_F(NamedRuns, ATextOrALaunchThatThereIsNotIsAnError) {
  record(false);
  add({.run = 2, .repro_id = 9999});
  EXPECT_THAT(objection(), HasSubstr("/runs[2]: repro_id is 9999, and /names has "));
  EXPECT_THAT(results::check_schema(file_), ::testing::ElementsAre(HasSubstr("repro_id is 9999")));
  record(false);
  add({.run = 2, .launch = 7, .options_id = 1});
  EXPECT_THAT(objection(), HasSubstr("/runs[2] is of launch 7, and there are 1"));
}

TEST_F(NamedRuns, OlderOnesGetAUuidFromTheirFile) {
  results::ResultsFile file(tests::source_dir() / "tests" / "parity" / "results" / "version_1.h5");
  std::set<cases::Uuid> uuids;
  for (const results::Run& run : file.runs()) uuids.insert(file.uuid(run));
  EXPECT_EQ(uuids.size(), file.runs().size());
  EXPECT_FALSE(uuids.contains({}));
}

TEST_F(NamedRuns, AFileOfTheNextMajorVersionIsOfANewerPlumb) {
  auto store = ir::hdf5::Store::create(file_);
  store.set("/", "schema", std::string(results::schema_name));
  store.set("/", "schema_version", std::string("3.0.0"));
  EXPECT_THAT(message_of([&] { results::require_results_file(store); }), HasSubstr("written by a newer plumb"));
}

}  // namespace
}  // namespace plumb::parity::identity_test
