// Results files that keep all numbers of failed runs alone: the rows of runs that passed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/results_tables.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::short_rows_test {
namespace {

using ::testing::IsEmpty;
using testing::make_case;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

struct Recorded {
  std::vector<results::Node> nodes;
  std::vector<results::TopElement> worst;
};

/// Three runs of a graph of five nodes, of which the last one fails.
Recorded record_three(results::KeepRows rows) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "plumb_short_rows.h5";
  std::filesystem::remove(file);
  results::RecordOptions options;
  options.rows = rows;
  results::Recorder recorder(file, std::move(options));
  Suspect honest, wrong = spoiler("scores", [](ir::Tensor&y) { y.as<float>()[13] += 1e-3f; });
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    recorder.record(verify_on(seed < 3 ? honest : wrong, make_case(small_graph, seed), {}, recorder));
  recorder.finish();
  EXPECT_THAT(results::check_schema(file), IsEmpty());
  const auto store = ir::hdf5::Store::open(file);
  return {store.read<results::Node>("/results/nodes", results::node_type()).rows,
          store.read<results::TopElement>("/results/topk", results::top_element_type()).rows};
}

TEST(ShortRows, KeepWhatJudgingNeedsOfRunsThatPassedAfterTheFirst) {
  const Recorded all = record_three(results::KeepRows::all), some = record_three(results::KeepRows::failed);
  EXPECT_EQ(some.nodes.size(), 2u * 5u * 3u + 5u + 1u);  // Five rows of own errors, one of the result's in total.
  ASSERT_EQ(some.worst.size(), some.nodes.size() * 8);
  std::size_t shortened = 0;
  for (std::size_t r = 0; r < some.nodes.size(); ++r) {
    const results::Node& row = some.nodes[r];
    const auto same = std::ranges::find_if(all.nodes, [&](const results::Node& one) {
      return one.run == row.run && one.node == row.node && one.part == row.part;
    });
    ASSERT_NE(same, all.nodes.end());
    const auto place = static_cast<std::size_t>(same - all.nodes.begin());
    EXPECT_EQ(row.out_hash, same->out_hash);
    EXPECT_EQ(row.verdict, same->verdict);
    EXPECT_EQ(some.worst[r * 8].index, all.worst[place * 8].index);
    const bool is_short = row.run == 1 && row.part == results::Part::local;
    EXPECT_EQ(std::isnan(row.rms), is_short || std::isnan(same->rms));
    if (!is_short) continue;
    ++shortened;
    EXPECT_LE(row.ratio_max, same->ratio_max);
    EXPECT_NEAR(row.ratio_max, same->ratio_max, 1e-7 * same->ratio_max);
    EXPECT_EQ(some.worst[r * 8 + 1].index, results::no_number);
  }
  EXPECT_EQ(shortened, 5u);
}

}  // namespace
}  // namespace plumb::parity::short_rows_test
