// Regions: which elementwise nodes become one kernel, and that it computes what they do, bit by bit.
#include <gmock/gmock.h>

#include <random>

#include "gpu_vulkan/fused_ops/region.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/region/compile.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::regions_test {
namespace {

using namespace ir::ops;
using ir::DType;
using ir::Value;
using Names = std::vector<std::string>;
using Binaries = BinaryFunction;
using Unaries = UnaryFunction;

/// A graph being written, and what is made of it.
struct Draft {
  ir::Graph graph = {};

  Value input(const char* name, ir::TensorType type) { return graph.input(name, std::move(type)); }
  Value op(ir::Op op, std::vector<Value> inputs) {
    return graph.add(ir::cat('n', graph.nodes().size()), std::move(op), std::move(inputs));
  }
  Value add(Value a, Value b) { return op(Binary{Binaries::add}, {a, b}); }
  Value unary(Unaries f, Value x) { return op(Unary{f}, {x}); }

  passes::Fused fused(std::vector<Value> wanted, bool surviving = false) const {
    auto made = passes::fuse(graph, {std::move(wanted), surviving}, {}, testing::h200(), {.on = true});
    EXPECT_EQ(ir::verify(made.graph), Names{});
    return made;
  }
  /// The nodes that fusion leaves when these values are wanted: "add, gelu" for a region, else the op.
  Names nodes(std::vector<Value> wanted, bool surviving = false) const {
    Names names;
    const auto made = fused(std::move(wanted), surviving);
    for (const ir::Node& node : made.graph.nodes())
      names.push_back(node.op.is<fused_ops::Region>() ? fused_ops::steps_of(node.op.as<fused_ops::Region>())
                                                      : std::string(node.op.name()));
    return names;
  }
};

const ir::TensorType matrix = {DType::f32, {6, 16}}, row = {DType::f32, {16}}, number = {DType::f32, {}};

class Regions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!region::RegionCompiler::exists()) GTEST_SKIP() << "this build has no compiler of shaders";
  }
  Draft d;
};

TEST_F(Regions, AChainWithBroadcastOperandsIsOne) {
  const Value x = d.input("x", matrix), b = d.input("b", row), s = d.input("s", number);
  const Value active = d.unary(Unaries::gelu, d.add(x, b)), y = d.op(Binary{Binaries::multiply}, {active, s});
  const Value narrow = d.op(Cast{DType::f16}, {y});
  EXPECT_EQ(d.nodes({narrow}), Names{"add, gelu, multiply, cast"});
}

TEST_F(Regions, APlanSaysWhatTheirKernelsCompute) {
  const Value x = d.input("x", matrix), y = d.unary(Unaries::exp, d.add(x, x));
  const auto made = d.fused({y});
  const std::string text = plan::to_text(plan::make_plan(made.graph, made.capture, testing::h200(), {}), made.graph);
  EXPECT_THAT(text, ::testing::ContainsRegex(R"(\(region\): gpu, [^ ]+ of add, exp)"));
}

TEST_F(Regions, WhatOthersNeedIsKept) {
  const Value x = d.input("x", matrix), sum = d.add(x, x), root = d.unary(Unaries::sqrt, sum);
  const Value y = d.unary(Unaries::exp, root);
  const auto made = d.fused({y, sum});
  ASSERT_EQ(made.graph.nodes().size(), 1u);
  EXPECT_TRUE(made.graph.defined(sum) && made.graph.defined(y));
  EXPECT_FALSE(made.graph.defined(root));
}

TEST_F(Regions, EndsAtANodeThatReadsOneOfItsValues) {
  const Value x = d.input("x", matrix), sum = d.add(x, x), twice = d.add(sum, x);
  const Value soft = d.op(Softmax{}, {twice});
  const Value y = d.add(d.unary(Unaries::exp, soft), twice);
  EXPECT_EQ(d.nodes({y}), (Names{"add, add", "softmax", "exp, add"}));
}

TEST_F(Regions, BranchesThatMeetAreOne) {
  const Value x = d.input("x", matrix), b = d.input("b", matrix);
  const Value left = d.unary(Unaries::abs, x), right = d.unary(Unaries::exp, b);
  const Value is_less = d.op(Compare{Comparison::less}, {left, right});
  const Value y = d.op(Where{}, {is_less, left, right});
  EXPECT_EQ(d.nodes({y}), Names{"abs, exp, less, where"});
}

TEST_F(Regions, AStepHasTheShapeOfTheResults) {
  const Value x = d.input("x", matrix), b = d.input("b", row);
  const Value y = d.unary(Unaries::relu, d.add(x, d.unary(Unaries::exp, b)));
  EXPECT_EQ(d.nodes({y}), (Names{"unary", "add, relu"}));
}

TEST_F(Regions, EveryValueIsKeptWhereAllThatSurviveAreWanted) {
  const Value x = d.input("x", matrix), sum = d.add(x, x), y = d.unary(Unaries::exp, d.unary(Unaries::abs, sum));
  const auto made = d.fused({y}, true);
  ASSERT_EQ(made.graph.nodes().size(), 1u);
  EXPECT_EQ(made.graph.nodes()[0].outputs.size(), 3u);
  EXPECT_EQ(made.absorbed, std::vector<bool>(3, false));
}

TEST_F(Regions, TypesThatAreNotComputedWithAndSingleNodesAreLeft) {
  const Value x = d.input("x", {DType::f64, {6}}), i = d.input("i", {DType::i64, {6}});
  const Value u = d.input("u", {DType::u8, {6}});
  const Value y = d.add(d.add(x, x), x), j = d.add(d.add(i, i), i), v = d.add(d.add(u, u), u);
  EXPECT_EQ(d.nodes({y, j, v}), Names(6, "binary"));
  Draft one;
  const Value a = one.input("x", matrix);
  EXPECT_EQ(one.nodes({one.unary(Unaries::exp, a)}), Names{"unary"});
}

TEST_F(Regions, WhatNobodyAsksForIsNotComputed) {
  const Value x = d.input("x", matrix), y = d.add(d.add(x, x), x);
  d.unary(Unaries::exp, y);
  EXPECT_EQ(d.nodes({y}), (Names{"add, add", "unary"}));
}

TEST_F(Regions, AreBoundedInSizeAndNumber) {
  Value x = d.input("x", matrix);
  const Value first = x;
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const auto f = static_cast<Unaries>(random() % 20);
    x = random() % 2 == 0 ? d.add(x, first) : d.unary(f, x);
  }
  std::size_t regions = 0;
  const auto made = d.fused({x});
  for (const ir::Node& node : made.graph.nodes())
    if (node.op.is<fused_ops::Region>()) {
      ++regions;
      EXPECT_LE(node.op.as<fused_ops::Region>().steps.size(), 24u);
    }
  EXPECT_EQ(regions, 64u);
}

TEST_F(Regions, ManyOperandsAreCutWhereBindingsEnd) {
  std::vector<Value> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(d.input(ir::cat('x', i).c_str(), matrix));
  Value y = inputs[0];
  for (int i = 1; i < 40; ++i) y = d.add(y, inputs[static_cast<std::size_t>(i)]);
  const auto made = d.fused({y});
  for (const ir::Node& node : made.graph.nodes()) EXPECT_LE(node.inputs.size() + node.outputs.size(), 24u);
}

/// A random graph of elementwise nodes on one shape and what broadcasts to it.
class RandomGraph {
 public:
  RandomGraph(const ir::Shape& shape, unsigned seed) : random_(seed) {
    const auto source = [&](DType dtype, const ir::Shape& s) {
      const auto name = ir::cat('x', pool_.size());
      pool_.push_back(graph.input(name, {dtype, s}));
      feeds.emplace(name, tests::noise({dtype, s}, seed + static_cast<unsigned>(pool_.size())));
    };
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::i32, DType::boolean}) {
      source(dtype, shape);
      ir::Shape part = shape;
      for (std::size_t i = 0; i < part.size(); ++i)
        if (random_() % 2 == 0) part[i] = 1;
      source(dtype, part);
      source(dtype, {});
    }
    for (int i = 0; i < 24; ++i) grow();
    for (const ir::Node& node : graph.nodes()) all.push_back(node.outputs[0]);
  }

  ir::Graph graph;
  ir::Feeds feeds;
  std::vector<Value> all;

 private:
  Value any(DType dtype) {
    for (;;) {
      // Late ones more often, so that chains grow.
      const std::size_t from = random_() % 2 == 0 ? 0 : pool_.size() - pool_.size() / 3;
      for (std::size_t tries = 0; tries < 8; ++tries) {
        const Value v = pool_[from + random_() % (pool_.size() - from)];
        if (graph.type(v).dtype == dtype) return v;
      }
    }
  }
  template <class Function>
  Function function_of(DType dtype, std::size_t count) {
    for (;;)
      if (const auto f = static_cast<Function>(random_() % count); dtypes_of(f).contains(dtype)) return f;
  }
  void grow() {
    constexpr std::array dtypes = {DType::f32, DType::f16, DType::bf16, DType::i32, DType::boolean};
    const DType dtype = dtypes[random_() % dtypes.size()];
    const auto add = [&](ir::Op op, std::vector<Value> inputs) {
      pool_.push_back(graph.add(ir::cat('n', pool_.size()), std::move(op), std::move(inputs)));
    };
    switch (random_() % 6) {
      case 0:
      case 1:
        return add(Unary{function_of<Unaries>(dtype, 40)}, {any(dtype)});
      case 2:
      case 3:
        return add(Binary{function_of<Binaries>(dtype, 18)}, {any(dtype), any(dtype)});
      case 4:
        if (random_() % 2 == 0)
          return add(Compare{static_cast<Comparison>(random_() % (dtype == DType::boolean ? 2 : 6))},
                     {any(dtype), any(dtype)});
        return add(Where{}, {any(DType::boolean), any(dtype), any(dtype)});
      default:
        return add(Cast{dtypes[random_() % dtypes.size()]}, {any(dtype)});
    }
  }

  std::mt19937 random_;
  std::vector<Value> pool_;
};

/// Bit by bit, but that one NaN is as good as another: which of two operands' it is no device says.
void expect_same_bits(const ir::Tensor& a, const ir::Tensor& b, const std::string& what) {
  ASSERT_EQ(a.type(), b.type()) << what;
  const std::size_t size = ir::info(a.dtype()).bytes;
  const auto is_nan = [&](const std::byte* at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, size);
    if (a.dtype() == DType::f32) return (bits & 0x7FFFFFFFu) > 0x7F800000u;
    if (a.dtype() == DType::f16) return (bits & 0x7FFFu) > 0x7C00u;
    return a.dtype() == DType::bf16 && (bits & 0x7FFFu) > 0x7F80u;
  };
  for (std::size_t i = 0; i < a.bytes().size(); i += size) {
    const auto *x = a.bytes().data() + i, *y = b.bytes().data() + i;
    if (std::memcmp(x, y, size) == 0 || (is_nan(x) && is_nan(y))) continue;
    std::uint32_t wanted = 0, found = 0;
    std::memcpy(&wanted, x, size);
    std::memcpy(&found, y, size);
    FAIL() << what << " " << a.type() << ", element " << i / size << std::hex << ": wanted " << wanted << ", found "
           << found;
  }
}

class RegionsOnDevice : public testing::OnDevice, public ::testing::WithParamInterface<ir::Shape> {};

TEST_P(RegionsOnDevice, ComputeWhatTheirNodesDo) {
  const auto set = [](bool fuse) {
    return [=](device::VulkanOptions& options) {
      options.regions = fuse;
      options.redzone = true;
    };
  };
  const auto fusing = testing::executor_with(set(true)), plain = testing::executor_with(set(false));
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const RandomGraph random(GetParam(), 100 * seed);
    const ir::Graph& graph = random.graph;
    const auto run = [&](VulkanExecutor& executor, const ir::Capture& capture) {
      return executor.compile(graph, {}, capture)->run(random.feeds);
    };
    const auto expected = run(*plain, {random.all});
    // All values, as verify wants them, and some, so that others are never stored.
    std::vector<Value> some;
    for (std::size_t i = 0; i < random.all.size(); i += 5) some.push_back(random.all[i]);
    for (const ir::Capture& capture : {ir::Capture{{}, true}, ir::Capture{some, false}})
      for (const auto& [value, tensor] : run(*fusing, capture))
        expect_same_bits(expected.at(value), tensor,
                         ir::cat("seed ", seed, ", ", graph.name(value), " of ", ir::to_text(graph)));
  }
}

// Above 2^16 elements an invocation has eight of them.
INSTANTIATE_TEST_SUITE_P(, RegionsOnDevice,
                         ::testing::Values(ir::Shape{}, ir::Shape{7}, ir::Shape{13, 16}, ir::Shape{5, 1, 7, 8},
                                           ir::Shape{0, 4}, ir::Shape{65543}, ir::Shape{3, 5, 5003},
                                           ir::Shape{2, 130, 264}));

/// One function, then a negation, of numbers among which are all that are special: alone and in a region.
class RegionsOfOneFunction : public testing::OnDevice, public ::testing::WithParamInterface<DType> {
 protected:
  ir::Tensor numbers(unsigned seed) const {
    ir::Tensor x = tests::noise({GetParam(), {4096}}, seed);
    const std::size_t size = ir::info(GetParam()).bytes;
    const std::uint32_t one = GetParam() == DType::f32 ? 0x3F800000 : GetParam() == DType::f16 ? 0x3C00 : 0x3F80;
    const std::uint32_t infinity = GetParam() == DType::f16 ? 0x7C00 : 0x7F800000u >> (size == 4 ? 0 : 16);
    std::size_t i = seed;  // so that two such tensors pair all of them
    for (const std::uint32_t special : {0u, 1u, one, 2 * one - one / 2, infinity - 1, infinity, infinity + 1})
      for (const std::uint32_t sign : {0u, 1u << (8 * size - 1)})
        for (int again = 0; again < 29; ++again, i += seed) {
          const std::uint32_t bits = special | sign;
          std::memcpy(x.bytes().data() + i % 4096 * size, &bits, size);
        }
    return x;
  }
};

TEST_P(RegionsOfOneFunction, SpecialNumbersComeOutAsOfTheOpAlone) {
  Draft d;
  const ir::TensorType type{GetParam(), {4096}};
  const Value a = d.input("a", type), b = d.input("b", type);
  std::vector<Value> wanted;
  const auto followed = [&](Value v) { wanted.push_back(d.unary(Unaries::negate, v)); };
  for (int f = 0; f < 40; ++f)
    if (dtypes_of(static_cast<Unaries>(f)).contains(type.dtype)) followed(d.unary(static_cast<Unaries>(f), a));
  for (int f = 0; f < 18; ++f)
    if (dtypes_of(static_cast<Binaries>(f)).contains(type.dtype)) {
      followed(d.op(Binary{static_cast<Binaries>(f)}, {a, b}));
      followed(d.op(Binary{static_cast<Binaries>(f)}, {a, a}));
    }
  const ir::Feeds feeds = {{"a", numbers(1)}, {"b", numbers(3)}};
  const auto run = [&](bool regions) {
    return testing::executor_with([=](device::VulkanOptions& options) { options.regions = regions; })
        ->compile(d.graph, {}, {wanted, false})
        ->run(feeds);
  };
  const auto expected = run(false), found = run(true);
  for (const Value v : wanted) {
    const Value of = d.graph.nodes()[*d.graph.producer(v)].inputs[0];
    const ir::Node& node = d.graph.nodes()[*d.graph.producer(of)];
    const auto twins = node.inputs == std::vector{a, a} ? " of twins" : "";
    expect_same_bits(expected.at(v), found.at(v), ir::cat(node.op.function(), twins));
  }
}

INSTANTIATE_TEST_SUITE_P(, RegionsOfOneFunction, ::testing::Values(DType::f32, DType::f16, DType::bf16));

}  // namespace
}  // namespace plumb::gpu_vulkan::regions_test
