// Results files as one: each run once, texts and sums by their new numbers, and nothing where two files disagree.
#include "parity/results/merge/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "parity/report/report.hpp"
#include "parity/results/merge/digest.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/stored_case.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/noise.hpp"

namespace plumb::parity::merge_test {
namespace {

using results::DigestOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class Merging : public ::testing::Test {
 protected:
  Merging() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("plumb_merge_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Merging() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / (name + ".h5"); }

  /// Records runs of these seeds, each with a kernel of its own that adds in blocks of so many terms.
  void record(const std::string& name, std::vector<std::uint64_t> seeds, std::int64_t block,
              results::RecordOptions options = {}, cases::Uuid uuid = {}) const {
    testing::Suspect suspect;
    suspect.describe = [&](const ir::Node& node, ir::NodeReport& report) {
      if (node.op.name() != "matmul") return;
      report.kernel = ir::cat("by_", block);
      report.sums = {ir::Sum{.levels = {{.count = block}, {}}}};
    };
    results::Recorder recorder(file(name), options);
    for (const std::uint64_t seed : seeds) {
      cases::CaseResult one = testing::verify_on(suspect, testing::make_case(testing::small_graph, seed), {}, recorder);
      one.uuid = uuid == cases::Uuid{} ? cases::new_uuid() : uuid;
      recorder.record(one);
    }
    recorder.finish();
  }

  results::Merged merge(std::vector<std::string> names, const std::string& to,
                        const results::MergeOptions& options = {}) const {
    std::vector<fs::path> inputs;
    for (const std::string& name : names) inputs.push_back(file(name));
    return results::merge(inputs, file(to), options);
  }

  fs::path folder_;
};

TEST_F(Merging, ReportsOfMergedRunsAreThoseOfTheFilesThatTheyComeFrom) {
  record("a", {1, 2}, 4, {.device = {.uuid = "00ff", .name = "one", .driver_name = "a driver"}});
  record("b", {3}, 8, {.device = {.uuid = "00ff", .name = "one", .driver_name = "another driver"}});
  record("c", {4}, 4, {.tensors = results::KeepTensors::all});
  const results::Merged merged = merge({"b", "a", "c", "a"}, "all");
  EXPECT_EQ(merged.runs, 4u);
  EXPECT_EQ(merged.repeated, 2u);
  EXPECT_THAT(merged.missing, IsEmpty());
  EXPECT_THAT(results::check_schema(file("all")), IsEmpty());
  results::ResultsFile all(file("all"));
  ASSERT_EQ(all.runs().size(), 4u);
  std::size_t place = 0;
  for (const char* const name : {"b", "a", "c"}) {
    results::ResultsFile one(file(name));
    for (const results::Run& run : one.runs()) {
      const results::Run& copied = all.runs()[place++];
      EXPECT_EQ(report::to_table(results::stored_case(all, copied), report::Detail::all),
                report::to_table(results::stored_case(one, run), report::Detail::all));
      EXPECT_EQ(all.uuid(copied), one.uuid(run));
      EXPECT_EQ(all.device(copied).facts.driver, one.device(run).facts.driver);
      for (std::size_t k = 0; k < one.local_rows(run).size(); ++k) {
        const results::Node &was = one.rows()[one.local_rows(run)[k]], &is = all.rows()[all.local_rows(copied)[k]];
        EXPECT_EQ(all.kernel(is).name, one.kernel(was).name);
        EXPECT_EQ(all.sums(copied, is), one.sums(run, was));
        EXPECT_EQ(all.worst(all.local_rows(copied)[k]).size(), one.worst(one.local_rows(run)[k]).size());
      }
    }
  }
  // Who shares a graph shares its list of sums: two products by kernels of two kinds.
  EXPECT_THAT(all.store().children("/graph"), ::testing::SizeIs(1));
  EXPECT_EQ(all.store().children("/device").size(), 2u);
  EXPECT_THAT(all.store().children("/tensors"), ElementsAre("3"));
}

TEST_F(Merging, RefusesAnotherRunUnderOneUuid) {
  const cases::Uuid uuid = {1, 2, 3};
  record("a", {1}, 4, {}, uuid);
  record("b", {2}, 4, {}, uuid);
  const std::string said = tests::message_of([&] { merge({"a", "b"}, "all"); });
  EXPECT_THAT(said, HasSubstr("b.h5: run 01020300-0000-0000-0000-000000000000"));
  EXPECT_THAT(said, HasSubstr("a.h5"));
  EXPECT_FALSE(fs::exists(file("all")));
  EXPECT_FALSE(fs::exists(file("all").string() + ".part"));
}

TEST_F(Merging, NamesWhatIsMissingOfShares) {
  record("1", {1}, 4, {.planned = 1, .shard = {1, 3}, .partition = "whole"});
  record("3", {3}, 4, {.planned = 1, .shard = {3, 3}, .partition = "whole"});
  record("other", {2}, 4, {.planned = 1, .shard = {1, 1}, .partition = "another"});
  EXPECT_THAT(merge({"3", "1"}, "two").missing, ElementsAre("share 2 of 3 is missing"));
  EXPECT_THAT(merge({"3", "1", "other"}, "mixed").missing,
              ElementsAre("shares of different wholes: another (share 1 of 1); whole (share 1, 3 of 3)",
                          "share 2 of 3 is missing of whole"));
  {
    results::Recorder recorder(file("cut"), {.planned = 5, .shard = {2, 3}, .partition = "whole"});
    testing::Suspect honest;
    recorder.record(testing::verify_on(honest, testing::make_case(testing::small_graph)));
  }
  fs::rename(file("cut").string() + ".part", file("cut"));
  EXPECT_THAT(merge({"1", "cut", "3"}, "cut_off").missing, ElementsAre("share 2/3: cut off: 1 of 5 cases"));
}

TEST_F(Merging, NamesRangesOfManyMissingShares) {
  record("2", {1}, 4, {.planned = 1, .shard = {2, 65535}, .partition = "whole"});
  record("7", {2}, 4, {.planned = 1, .shard = {7, 65535}, .partition = "whole"});
  record("9", {3}, 4, {.planned = 1, .shard = {10, 65535}, .partition = "whole"});
  EXPECT_THAT(merge({"2", "7", "9"}, "three").missing,
              ElementsAre("shares 1, 3-6, 8, 9, 11-65535 of 65535 are missing"));
}

TEST_F(Merging, AFileThatIsToBeRescuedIsNotInTheWayOfTheNewOne) {
  record("whole", {1}, 4);
  const fs::path part = file("cut").string() + ".part";
  fs::copy_file(file("whole"), part);
  fs::create_symlink(file("cut"), file("link"));
  for (const char* const name : {"cut", "link"})
    EXPECT_THAT(tests::message_of([&] { results::merge(std::vector{part}, file(name), {.partial = true}); }),
                HasSubstr("would take the place of cut.h5.part, which is an input"));
  EXPECT_EQ(results::digest_of_file(part, DigestOf::runs), results::digest_of_file(file("whole"), DigestOf::runs));
}

TEST_F(Merging, AnEarlierFileIsReadAsItWas) {
  record("old", {1}, 4);
  const std::string before = results::digest_of_file(file("old"), DigestOf::values);
  ir::hdf5::Store::open_to_append(file("old")).set("/", "schema_version", std::string("2.8.0"));
  merge({"old"}, "new");
  EXPECT_EQ(results::ResultsFile(file("new")).attribute("schema_version"), results::schema_version);
  EXPECT_EQ(results::digest_of_file(file("new"), DigestOf::values), before);
  ir::hdf5::Store::open_to_append(file("old")).set("/", "schema_version", std::string("2.99.0"));
  EXPECT_THAT(tests::message_of([&] { merge({"old"}, "newer"); }), HasSubstr("written by a newer plumb"));
}

}  // namespace
}  // namespace plumb::parity::merge_test
