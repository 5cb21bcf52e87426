// Buckets on the CPU executor: how extents are rounded, what is compiled, what is kept and for how long.
#include "ir/buckets.hpp"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "ir/ops/unary.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::buckets_test {
namespace {

using ::testing::HasSubstr;

/// Counts what it compiles, and what lives of that.
class Counting final : public Executor {
 public:
  int compiled = 0;
  std::size_t alive = 0;
  std::uint64_t bytes_alive = 0;

  std::string_view name() const override { return "counting"; }
  bool has_kernel(const OpSchema& schema) const override { return cpu_.has_kernel(schema); }
  using Executor::compile;
  std::unique_ptr<Executable> compile(const Graph& graph, const Feeds& params, const Capture& capture) override {
    return std::make_unique<Program>(*this, cpu_.compile(graph, params, capture));
  }
  std::shared_ptr<Params> hold(const Feeds& params) override { return cpu_.hold(params); }

 private:
  class Program final : public Executable {
   public:
    Program(Counting& by, std::unique_ptr<Executable> made) : by_(by), made_(std::move(made)) {
      ++by_.compiled;
      ++by_.alive;
      by_.bytes_alive += made_->bytes();
    }
    ~Program() override {
      --by_.alive;
      by_.bytes_alive -= made_->bytes();
    }
    Tensors run(const Feeds& inputs) override { return made_->run(inputs); }
    std::vector<NodeReport> nodes() const override { return made_->nodes(); }
    std::unique_ptr<Context> context() override { return made_->context(); }
    bool has_contexts() const override { return made_->has_contexts(); }
    std::uint64_t bytes() const override { return made_->bytes(); }

   private:
    Counting& by_;
    std::unique_ptr<Executable> made_;
  };

  std::unique_ptr<Executable> compile_held(const Graph& graph, std::shared_ptr<Params> params,
                                           const CompileOptions& options) override {
    return std::make_unique<Program>(*this, cpu_.compile(graph, std::move(params), options));
  }

  ref_cpu::CpuExecutor cpu_{{.threads = 1}};
};

/// y = |-x|, where x has as many rows as `batch` says and as many columns as `seq`.
Graph graph_for(const Extents& extents) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {extents.at("batch"), extents.at("seq")}});
  const Value hidden = graph.add("hidden", ops::Unary{ops::UnaryFunction::negate}, {x});
  graph.returns(graph.add("y", ops::Unary{ops::UnaryFunction::abs}, {hidden}));
  return graph;
}

class InBuckets : public ::testing::Test {
 protected:
  Buckets buckets(BucketOptions options) { return {counting, graph_for, counting.hold({}), {}, std::move(options)}; }
  static Extents of(std::int64_t batch, std::int64_t seq) { return {{"batch", batch}, {"seq", seq}}; }

  Counting counting;
};

TEST_F(InBuckets, ExtentsAreRoundedUpToTheNextSize) {
  Buckets cache = buckets({.sizes = {{"seq", {512, 128, 1024}}, {"batch", {}}}});
  for (const auto& [asked, rounded] : {std::pair(77, 128), std::pair(0, 128), std::pair(128, 128), std::pair(129, 512),
                                       std::pair(512, 512), std::pair(1024, 1024)})
    EXPECT_EQ(cache.at(of(3, asked)).extents, of(3, rounded)) << asked;
  EXPECT_EQ(cache.at(of(5, 1)).extents, of(5, 128)) << "a symbol without sizes is taken exactly";
}

TEST_F(InBuckets, TheExecutableIsOfTheGraphThatWasMade) {
  Buckets cache = buckets({.sizes = {{"seq", {4}}}});
  const Bucket bucket = cache.at(of(1, 3));
  const Value y = *bucket.graph->find("y");
  EXPECT_EQ(bucket.graph->type(y).shape, (Shape{1, 4}));
  const Tensors results = bucket.executable->run({{"x", Tensor::of<float>({1, 4}, {1, -2, 3, 0})}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(results.at(y).as<float>(), ::testing::ElementsAre(1, 2, 3, 0));
}

TEST_F(InBuckets, ASecondCallForABucketMakesAndCompilesNothing) {
  int made = 0;
  const auto make = [&](const Extents& extents) {
    ++made;
    return graph_for(extents);
  };
  Buckets cache(counting, make, counting.hold({}), {}, {.sizes = {{"seq", {128, 256}}}});
  const Bucket first = cache.at(of(1, 77)), again = cache.at(of(1, 100));
  EXPECT_EQ(again.executable, first.executable);
  EXPECT_EQ(again.graph, first.graph);
  EXPECT_EQ(counting.compiled, 1);
  EXPECT_EQ(made, 1);
  EXPECT_NE(cache.at(of(1, 129)).executable, first.executable);
  EXPECT_EQ(counting.compiled, 2);
}

TEST_F(InBuckets, OtherValuesAreWantedByAFunctionOfTheGraph) {
  const auto hidden_of = [](const Graph& graph) {
    return CompileOptions{.capture = {.wanted = {*graph.find("hidden")}}};
  };
  Buckets cache(counting, graph_for, counting.hold({}), hidden_of);
  const Bucket bucket = cache.at(of(1, 2));
  const Tensors results = bucket.executable->run({{"x", Tensor::of<float>({1, 2}, {1, -2})}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(results.at(*bucket.graph->find("hidden")).as<float>(), ::testing::ElementsAre(-1, 2));
}

TEST_F(InBuckets, BytesStayWithinTheirBoundOverManySizes) {
  constexpr std::uint64_t most = 20'000;
  Buckets cache = buckets({.most = 1000, .most_bytes = most});
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> size(1, 1000);
  std::uint64_t largest = 0;
  for (int i = 0; i < 1000; ++i) {
    cache.at(of(1, size(random)));
    ASSERT_LE(counting.bytes_alive, most) << i;
    largest = std::max(largest, counting.bytes_alive);
  }
  EXPECT_GT(largest, most / 2) << "little was kept";
  EXPECT_GT(counting.compiled, 500);
  EXPECT_LT(counting.compiled, 1000) << "nothing was found again";
}

TEST_F(InBuckets, WhatIsLargerThanAllIsKeptAlone) {
  Buckets cache = buckets({.most_bytes = 5000});
  cache.at(of(1, 1000));
  const Bucket large = cache.at(of(1, 2000));
  EXPECT_GT(large.executable->bytes(), 5000u);
  EXPECT_EQ(counting.alive, 1u);
}

TEST_F(InBuckets, WhatWasUsedLeastRecentlyGoesFirst) {
  Buckets cache = buckets({.most = 2});
  cache.at(of(1, 1));
  cache.at(of(1, 2));
  cache.at(of(1, 1));
  cache.at(of(1, 3));
  EXPECT_EQ(counting.alive, 2u);
  EXPECT_EQ(counting.compiled, 3);
  cache.at(of(1, 1));
  EXPECT_EQ(counting.compiled, 3);
  cache.at(of(1, 2));
  EXPECT_EQ(counting.compiled, 4);
}

TEST_F(InBuckets, NothingInUseGoes) {
  Buckets cache = buckets({.most = 1});
  auto held = cache.at(of(1, 1)).executable;
  auto context = cache.at(of(1, 2)).executable->context();
  cache.at(of(1, 3));
  cache.at(of(1, 4));
  EXPECT_EQ(counting.alive, 3u) << "the first, the second, and what was returned last";
  cache.at(of(1, 1));
  cache.at(of(1, 2));
  EXPECT_EQ(counting.compiled, 4);
  held.reset();
  context.reset();
  cache.at(of(1, 5));
  EXPECT_EQ(counting.alive, 1u) << "they go with the next call";
}

TEST_F(InBuckets, MisuseIsAnErrorThatSaysWhyAndChangesNothing) {
  const auto expect = [](const std::string& says, const std::function<void()>& act) {
    EXPECT_THAT(tests::message_of(act), HasSubstr(says));
  };
  expect("buckets keep 1 executable at least, and most is 0", [&] { buckets({.most = 0}); });
  expect("symbol 'seq' has the extent -1, which is negative", [&] { buckets({.sizes = {{"seq", {4, -1}}}}); });
  Buckets cache = buckets({.sizes = {{"seq", {128, 4096}}}, .most = 1});
  const Bucket kept = cache.at(of(1, 77));
  expect("symbol 'seq' has the extent 4097, which is above the largest of its sizes, 4096",
         [&] { cache.at(of(1, 4097)); });
  expect("symbol 'batch' has the extent -2, which is negative", [&] { cache.at(of(-2, 77)); });
  expect("symbol 'seq' has sizes, and was given no extent", [&] { cache.at({{"batch", 1}, {"sek", 77}}); });
  EXPECT_EQ(cache.at(of(1, 77)).executable, kept.executable);
  EXPECT_EQ(counting.compiled, 1);
}

TEST(Padding, PutsZerosBehindEachAxis) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor y = padded(x, {DType::f32, {3, 4}});
  EXPECT_THAT(y.as<float>(), ::testing::ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(leading_part(y, {2, 2}).as<float>(), ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(leading_part(y, {1, 3}).as<float>(), ::testing::ElementsAre(1, 2, 0));
  EXPECT_EQ(leading_part(y, {0, 4}).elements(), 0);
  EXPECT_THAT(padded(Tensor::of<float>({}, {7}), {DType::f32, {}}).as<float>(), ::testing::ElementsAre(7));
  const auto refused = [](const std::function<void()>& act) { return tests::message_of(act); };
  EXPECT_THAT(refused([&] { padded(x, {DType::f32, {1, 4}}); }), HasSubstr("leaves it along axis 0"));
  EXPECT_THAT(refused([&] { padded(x, {DType::f32, {4}}); }), HasSubstr("has another rank"));
  EXPECT_EQ(refused([&] { leading_part(x, {}); }), "f32[2, 2] has no part [], which has another rank");
  EXPECT_EQ(refused([&] { padded(x, {DType::i32, {3, 4}}); }), "f32[2, 2] is no part of i32[3, 4]");
  EXPECT_THAT(refused([&] { leading_part(x, {2, 3}); }), HasSubstr("leaves it along axis 1"));
}

TEST_F(InBuckets, WhatMakingAGraphThrowsIsThrownAndKeepsNothing) {
  bool fails = true;
  const auto make = [&](const Extents& extents) {
    require(!fails, "no such graph");
    return graph_for(extents);
  };
  Buckets cache(counting, make, counting.hold({}));
  EXPECT_EQ(tests::message_of([&] { cache.at(of(1, 2)); }), "no such graph");
  fails = false;
  EXPECT_EQ(cache.at(of(1, 2)).extents, of(1, 2));
}

TEST_F(InBuckets, ASecondThreadIsAnError) {
  std::string said;
  Buckets* whole = nullptr;
  const auto make = [&](const Extents& extents) {
    std::thread([&] { said = tests::message_of([&] { whole->at({}); }); }).join();
    return graph_for(extents);
  };
  Buckets cache(counting, make, counting.hold({}));
  whole = &cache;
  cache.at(of(1, 2));
  EXPECT_THAT(said, HasSubstr("two threads at once"));
}

}  // namespace
}  // namespace plumb::ir::buckets_test
