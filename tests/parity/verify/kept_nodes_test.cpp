// A run that goes on behind nodes that an earlier one judged comes to what it comes to when all are judged.
#include "parity/cases/kept_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "ir/files/read_file.hpp"
#include "parity/results/kept_bytes.hpp"
#include "parity/results/node_journal.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::kept_nodes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_case;
using ::testing::SizeIs;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
namespace fs = std::filesystem;

/// Keeps nodes in memory, and has those of another run.
struct Kept final : cases::KeptNodes {
  std::map<std::size_t, cases::KeptNode> earlier = {}, now = {};

  std::map<std::size_t, cases::KeptNode> begin(const cases::Identity&, const std::string&) override { return earlier; }
  void keep(std::size_t n, const cases::KeptNode& node) override { now.emplace(n, node); }
};

/// The nodes that were judged, in this order.
struct Judged final : cases::Observer {
  std::vector<std::string> nodes;

  void compared(const cases::NodeResult& result, const ir::TensorView&, const ir::TensorView&) override {
    nodes.push_back(result.label);
  }
};

struct Ran {
  cases::CaseResult result;
  std::map<std::size_t, cases::KeptNode> kept;
  std::vector<std::string> judged;
};

Ran run(Suspect& suspect, std::map<std::size_t, cases::KeptNode> earlier, verify::VerifyOptions options = {},
        const char* graph = small_graph) {
  Kept kept;
  kept.earlier = std::move(earlier);
  Judged judged;
  options.kept = &kept;
  Ran ran{testing::verify_on(suspect, make_case(graph), options, judged), {}, {}};
  return {std::move(ran.result), std::move(kept.now), std::move(judged.nodes)};
}

/// All that is known of the outputs of a run, but for times.
std::vector<std::string> told(cases::CaseResult result) {
  std::vector<std::string> all;
  for (cases::NodeResult& node : result.nodes) {
    node.reference_ns.reset();
    all.push_back(node.name() + ' ' + node.repro + ' ' + std::to_string(node.hash.value_or(0)) +
                  results::bytes_of(node.node, {.outputs = {{node, node, node}}}));
  }
  return all;
}

std::map<std::size_t, cases::KeptNode> first_of(const std::map<std::size_t, cases::KeptNode>& nodes,
                                                std::size_t count) {
  return {nodes.begin(), std::next(nodes.begin(), static_cast<std::ptrdiff_t>(count))};
}

TEST(KeptNodes, AreNotJudgedAgain) {
  for (const core::Mode mode : {core::Mode::attribute, core::Mode::propagate}) {
    Suspect honest;
    const Ran whole = run(honest, {}, {.mode = mode});
    ASSERT_THAT(whole.kept, SizeIs(5));
    for (std::size_t count = 0; count <= 5; ++count) {
      const Ran rest = run(honest, first_of(whole.kept, count), {.mode = mode});
      EXPECT_EQ(told(rest.result), told(whole.result)) << count;
      EXPECT_EQ(rest.result.coverage.elements, whole.result.coverage.elements) << count;
      EXPECT_EQ(rest.judged,
                std::vector(whole.judged.begin() + static_cast<std::ptrdiff_t>(count), whole.judged.end()));
      EXPECT_THAT(rest.kept, SizeIs(5 - count));
      EXPECT_THAT(rest.result.notes, SizeIs(count == 0 ? 0 : 1)) << count;
    }
  }
}

// The truth of the first node is rounded so that it decides ties, which its own evaluation does not say.
TEST(KeptNodes, HandTheTruthOfTheWholeGraphOn) {
  constexpr auto fused = R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f32[64]"}, "b": {"type": "f32[64]"}, "c": {"type": "f32[64]"}},
    "nodes": [{"label": "mixed", "op": "fma", "inputs": ["a", "b", "c"]},
              {"label": "sum", "op": "binary", "inputs": ["mixed", "c"], "function": "add"},
              {"label": "squares", "op": "unary", "inputs": ["sum"], "function": "square"}],
    "results": ["squares"]})";
  for (const core::Mode mode : {core::Mode::attribute, core::Mode::propagate}) {
    Suspect honest;
    const Ran whole = run(honest, {}, {.mode = mode}, fused);
    ASSERT_THAT(whole.kept, SizeIs(3));
    for (std::size_t count = 1; count <= 3; ++count)
      EXPECT_EQ(told(run(honest, first_of(whole.kept, count), {.mode = mode}, fused).result), told(whole.result))
          << count;
  }
}

// Doubles are evaluated once more when they are kept, on truths that the nodes behind them are still to be given.
TEST(KeptNodes, OfDoublesLeaveTheTruthsOfTheirOperands) {
  constexpr auto doubles = R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f64[64]"}, "b": {"type": "f64[64]"}},
    "nodes": [{"label": "sum", "op": "binary", "inputs": ["a", "b"], "function": "add"},
              {"label": "squares", "op": "unary", "inputs": ["sum"], "function": "square"},
              {"label": "more", "op": "binary", "inputs": ["squares", "sum"], "function": "add"}],
    "results": ["more"]})";
  Suspect honest;
  const Ran whole = run(honest, {}, {}, doubles);
  ASSERT_EQ(whole.result.verdict, core::Verdict::passed);
  ASSERT_THAT(whole.kept, SizeIs(3));
  for (const cases::NodeResult& node : whole.result.nodes) EXPECT_EQ(node.total.n, 64U) << node.label;
  for (std::size_t count = 1; count <= 3; ++count)
    EXPECT_EQ(told(run(honest, first_of(whole.kept, count), {}, doubles).result), told(whole.result)) << count;
}

TEST(KeptNodes, WithAFaultAreTakenWithIt) {
  auto wrong = spoiler("weights", [](ir::Tensor& y) { y.as<float>()[3] = std::numeric_limits<float>::quiet_NaN(); });
  const Ran whole = run(wrong, {}), rest = run(wrong, whole.kept);
  ASSERT_EQ(whole.result.verdict, core::Verdict::failed);
  EXPECT_EQ(told(rest.result), told(whole.result));
  EXPECT_THAT(rest.judged, IsEmpty());
  ASSERT_THAT(rest.result.non_finite, SizeIs(1));
  EXPECT_EQ(rest.result.non_finite.front().node, whole.result.non_finite.front().node);
}

TEST(KeptNodes, OnOtherOperandsOrWithOtherBitsAreJudgedAgain) {
  Suspect honest;
  const Ran whole = run(honest, {});
  auto other = spoiler("weights", [](ir::Tensor& y) { y.bytes()[0] ^= std::byte{1}; });
  const Ran judged = run(other, {}), rest = run(other, whole.kept);
  EXPECT_THAT(rest.judged, ElementsAre("weights", "turned", "back", "whole"));
  EXPECT_EQ(told(rest.result), told(judged.result));
}

TEST(KeptNodes, InModeIsolateAreNone) {
  Suspect honest;
  EXPECT_THAT(run(honest, {}, {.mode = core::Mode::isolate}).kept, IsEmpty());
}

/// A journal with two runs, the first of which is recorded before the second begins.
class Journal : public ::testing::Test {
 protected:
  Journal() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Suspect honest;
    nodes_ = run(honest, {}).kept;
  }
  ~Journal() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "plumb_node_journal",
                 file_ = results::NodeJournal::beside(folder_ / "out.h5.part");
  const cases::Identity first_ = {"a.json", " seed=1", "graph=1\n", "mode=attribute\n"},
                        second_ = {"a.json", " seed=2", "graph=1\n", "mode=attribute\n"};
  std::map<std::size_t, cases::KeptNode> nodes_;
};

TEST_F(Journal, HasTheNodesOfARunUntilItIsRecorded) {
  results::NodeJournal journal(file_, {.commit = "c", .command_line = "plumb verify a.json"}, {});
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_THAT(journal.begin(first_, ""), IsEmpty());
  for (const auto& [n, node] : nodes_) journal.keep(n, node);
  const auto left = results::NodeJournal::read(file_);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].start.command_line, "plumb verify a.json");
  EXPECT_EQ(left[0].identity.id(), "a.json seed=1");
  ASSERT_THAT(left[0].nodes, SizeIs(5));
  for (const auto& [n, node] : nodes_)
    EXPECT_EQ(results::bytes_of(n, left[0].nodes.at(n)), results::bytes_of(n, node)) << n;
  journal.end_run();
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Journal, OfAnEarlierStartIsGoneOnWith) {
  {
    results::NodeJournal journal(file_, {}, {});
    journal.begin(first_, "");
    journal.keep(0, nodes_.at(0));
  }
  {
    results::NodeJournal journal(file_, {}, results::NodeJournal::read(file_));
    EXPECT_THAT(journal.begin(second_, ""), IsEmpty());  // another one comes first
    journal.keep(3, nodes_.at(3));
    journal.end_run();
    EXPECT_THAT(journal.begin(first_, ""), SizeIs(1));
    journal.keep(1, nodes_.at(1));
  }
  const auto left = results::NodeJournal::read(file_);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_THAT(left[0].nodes, SizeIs(2));
  results::NodeJournal anew(file_, {}, {});
  EXPECT_FALSE(fs::exists(file_));
}

/// How many nodes are read of these bytes.
std::size_t nodes_in(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  std::size_t count = 0;
  for (const results::UnfinishedRun& run : results::NodeJournal::read(file)) count += run.nodes.size();
  return count;
}

TEST_F(Journal, CutAnywhereHasTheNodesBeforeThat) {
  std::vector<std::uintmax_t> ends;
  results::NodeJournal journal(file_, {}, {});
  journal.begin(first_, "");
  for (const auto& [n, node] : nodes_) {
    journal.keep(n, node);
    ends.push_back(fs::file_size(file_));
  }
  const std::string text = ir::files::read_text(file_, 1 << 20);
  ASSERT_EQ(text.size(), ends.back());
  for (std::size_t size = 0; size <= text.size(); size += 37) {
    const auto whole = std::ranges::upper_bound(ends, size) - ends.begin();
    ASSERT_EQ(nodes_in(folder_ / "cut", text.substr(0, size)), static_cast<std::size_t>(whole)) << size;
  }
  for (std::size_t at = ends[1]; at < ends[2]; at += 23) {  // a byte of the third node is another one
    std::string damaged = text;
    damaged[at] ^= 4;
    ASSERT_EQ(nodes_in(folder_ / "damaged", damaged), 2U) << at;
  }
}

TEST(KeptBytes, OfNoNodeAreRefused) {
  const cases::KeptNode node{.key = 1, .outputs = {{}}, .notes = {"a", "b"}};
  const std::string bytes = results::bytes_of(7, node);
  EXPECT_EQ(results::node_in(bytes).first, 7U);
  EXPECT_THROW(results::node_in(bytes + '\0'), ir::Error);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(results::node_in(bytes.substr(0, size)), ir::Error) << size;
}

}  // namespace
}  // namespace plumb::parity::kept_nodes_test
