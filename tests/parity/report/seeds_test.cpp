#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "parity/report/seed_summary.hpp"
#include "parity/verify/compile_once.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::seeds_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::make_case;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

/// Counts how often a graph is compiled.
class Counting final : public ir::Executor {
 public:
  int compiled = 0;

  std::string_view name() const override { return suspect_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return suspect_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    ++compiled;
    return suspect_.compile(graph, params, capture);
  }

 private:
  Suspect suspect_;
};

TEST(CompileOnce, CompilesAgainOnlyForAnotherGraphOtherParamsOrAnotherCapture) {
  Counting counting;
  verify::CompileOnce once(counting);
  const cases::Case first = make_case(small_graph, 1), second = make_case(small_graph, 2);
  const ir::Graph& graph = first.file->graph;
  ir::Feeds mixed = second.feeds;
  mixed.insert_or_assign("w", first.feeds.at("w"));  // other inputs, the params of the first
  const ir::Capture capture{graph.results(), true};
  const auto value = graph.results()[0];
  const auto run = [&](const ir::Feeds& feeds, const ir::Capture& what) {
    const ir::Tensors got = once.compile(graph, feeds, what)->run(feeds);
    const ir::Tensors plain = Suspect().compile(graph, feeds, what)->run(feeds);
    EXPECT_TRUE(std::ranges::equal(got.at(value).bytes(), plain.at(value).bytes()));
    return counting.compiled;
  };
  EXPECT_EQ(run(first.feeds, capture), 1);
  EXPECT_EQ(run(mixed, capture), 1);
  EXPECT_EQ(run(second.feeds, capture), 2);
  EXPECT_EQ(run(second.feeds, {graph.results(), false}), 3);
}

TEST(LoadCase, ParamsCanHaveASeedOfTheirOwn) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_param_seed.json";
  std::ofstream(path) << small_graph;
  const cases::Case one = verify::load_case(path, {.seed = 1}),
                    other = verify::load_case(path, {.seed = 2, .param_seed = 1});
  std::filesystem::remove(path);
  const auto same = [&](const char* name) {
    return std::ranges::equal(one.feeds.at(name).bytes(), other.feeds.at(name).bytes());
  };
  EXPECT_TRUE(same("w"));
  EXPECT_FALSE(same("x"));
  EXPECT_EQ(std::get<ir::formats::Generated>(other.file->sources.at("w")).seed, 1u);  // as results files record it
}

TEST(SeedSummary, SaysOfEveryNodeWhatItsSeedsCameTo) {
  report::SeedSummary summary;
  Suspect honest, wrong = spoiler("weights", [](ir::Tensor&y) { y.as<float>()[3] += 1e-3f; });
  for (const std::uint64_t seed : {5, 6, 7}) summary.add(verify_on(honest, make_case(small_graph, seed)));
  summary.add(verify_on(wrong, make_case(small_graph, 8)));
  const std::string text = summary.text();
  EXPECT_THAT(text, ContainsRegex("weights +softmax +[0-9.e-]+ +[0-9.e+]+ +8 .* 3 passed 1 failed"));
  EXPECT_THAT(text, ContainsRegex("back +matmul .* 4 passed"));
  EXPECT_THAT(text, ContainsRegex("small.json: 4 seeds: [23] passed 1 failed"));
}

TEST(SeedSummary, ShowsTheTwelveWorst) {
  report::SeedSummary summary;
  for (std::size_t n = 0; n < 20; ++n)
    for (const std::uint64_t seed : {1, 2})
      summary.add_output({n, 0, "node" + std::to_string(n), "unary",
                          n == 3 && seed == 2 ? core::Verdict::failed : core::Verdict::passed,
                          n == 3 ? 1e-3 : static_cast<double>(n), 1},
                         seed);
  const std::string worst = summary.table(), all = summary.table(report::Detail::all),
                    verdicts = summary.table(report::Detail::verdicts);
  EXPECT_LT(worst.find("node3 "), worst.find("node19 "));
  EXPECT_THAT(worst, HasSubstr("node9 "));
  EXPECT_THAT(worst, Not(HasSubstr("node8 ")));
  EXPECT_THAT(worst, HasSubstr("... 8 more passed, with no larger ratio"));
  EXPECT_LT(all.find("node0 "), all.find("node3 "));
  EXPECT_THAT(all, HasSubstr("node8 "));
  EXPECT_THAT(verdicts, HasSubstr("node3 "));
  EXPECT_THAT(verdicts, Not(HasSubstr("node19 ")));
}

}  // namespace
}  // namespace plumb::parity::seeds_test
