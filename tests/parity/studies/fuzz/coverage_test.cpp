// Cells count as reached by what nodes are, and no reader takes broken files.
#include "parity/studies/fuzz/coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "parity/studies/fuzz/broken.hpp"
#include "parity/studies/fuzz/generator.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/noise.hpp"

namespace plumb::testing::fuzz_coverage_test {
namespace {

using namespace parity::studies::fuzz;
using ::testing::HasSubstr;

parity::cases::CaseResult small_result() {
  Suspect honest;
  return verify_on(honest, make_case(small_graph));
}

TEST(FuzzCoverage, CountsWhatNodesReach) {
  Coverage coverage;
  const parity::cases::CaseResult result = small_result();
  EXPECT_TRUE(coverage.add(result, "first", "graph"));
  EXPECT_FALSE(coverage.add(result, "second", "graph")) << "it reaches nothing else";
  EXPECT_TRUE(coverage.add(result, "third", "exact")) << "it has another fill";
  const Reached& softmax = coverage.cells().at({"dtype", "softmax", "f32"});
  EXPECT_EQ(softmax.device, 3u);
  EXPECT_EQ(softmax.first, "first");
  EXPECT_EQ(coverage.cells().at({"switch", "matmul.transpose_a", "off"}).device, 6u);
  EXPECT_EQ(coverage.cells().at({"fill", "softmax", "exact"}).first, "third");
}

TEST(FuzzCoverage, SharesAreOfWhatOpsDeclare) {
  Coverage coverage;
  EXPECT_EQ(coverage.share().reached, 0u);
  EXPECT_EQ(coverage.share().all, declared_cells().size());
  coverage.add(small_result(), "one", "graph");
  EXPECT_EQ(coverage.share("dtype").reached, 4u) << "matmul, softmax, transpose and cast in f32";
  // Cells that the host alone runs are none that the device has.
  parity::cases::CaseResult fallen = small_result();
  for (parity::cases::NodeResult& node : fallen.nodes) node.verdict = parity::core::Verdict::fallback;
  Coverage none;
  EXPECT_FALSE(none.add(fallen, "one", "graph"));
  EXPECT_EQ(none.share("dtype").reached, 0u);
  EXPECT_EQ(none.share("dtype").all + 4, coverage.share("dtype").all);
}

TEST(FuzzCoverage, IsReadAsItIsWritten) {
  Coverage coverage, read;
  coverage.add(small_result(), "one", "graph");
  read.read(coverage.to_text());
  EXPECT_EQ(read.to_text(), coverage.to_text());
  read.read(coverage.to_text());
  EXPECT_EQ(read.cells().at({"dtype", "softmax", "f32"}).device, 2u) << "counts add up";
  EXPECT_THAT(tests::message_of([&] { read.read("kind\n"); }), HasSubstr("line 1: "));
  const std::string cut = coverage.to_text().substr(0, coverage.to_text().size() - 20);
  EXPECT_THAT(tests::message_of([&] { read.read(cut); }), HasSubstr("is not a kind, a subject, a value, two counts"));
}

TEST(Broken, NoReaderTakesThem) {
  std::set<std::string> ways;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const Broken broken = break_file(draw_case({}, number % 10).file, 5, number);
    ways.insert(broken.how);
    EXPECT_THROW(ir::formats::parse_graph(broken.text, "."), ir::Error) << number << ": " << broken.how;
  }
  EXPECT_GE(ways.size(), 20u);
  const auto file = draw_case({}, 3).file;
  EXPECT_EQ(break_file(file, 5, 7).text, break_file(file, 5, 7).text);
}

}  // namespace
}  // namespace plumb::testing::fuzz_coverage_test
