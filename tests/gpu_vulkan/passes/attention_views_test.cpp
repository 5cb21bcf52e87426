// Attention that reads queries, keys and values where one product has put them.
#include <gmock/gmock.h>

#include <random>

#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/passes/views.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"

namespace plumb::gpu_vulkan::attention_views_test {
namespace {

using ir::DType;
using ir::Value;
using ir::ops::Attention;
using ir::ops::AttentionLayout;
using ir::ops::Gather;
using ir::ops::Reshape;
using ir::ops::Slice;
using ir::ops::Split;
using ir::ops::Transpose;
using Names = std::vector<std::string>;

struct Sizes {
  std::int64_t B, S, Hq, Hk, D;
};

/// How a layer takes q, k and v from one tensor.
enum class Way {
  split,          ///< [B, S, (Hq + 2 Hk) D], split, heads told apart, then put before positions
  split_in_rows,  ///< split in rows, with heads left behind positions
  gathered,       ///< [B, S, 3, H, D] with the threes in front, of which each is one
  sliced,         ///< [B, S, H, 3 D], heads before positions, then cut
};

constexpr const char* names_of_ways[] = {"split", "split_in_rows", "gathered", "sliced"};

Value position(ir::Graph& graph, const std::string& label, std::int64_t index) {
  const auto bytes = std::as_bytes(std::span(&index, 1));
  return graph.add(label, ir::ops::Constant{DType::i64, {}, {bytes.begin(), bytes.end()}}, {});
}

Names op_names(const passes::Fused& made) {
  Names names;
  for (const ir::Node& node : made.graph.nodes())
    if (node.op.name() != "constant") names.emplace_back(node.op.name());
  return names;
}

struct Layer {
  ir::Graph graph = {};
  Value packed, y;
  std::array<Value, 3> parts = {};  ///< q, k, v as they are taken, before axes change

  Layer(Way way, const Sizes& n, DType dtype, Attention attention = {}) {
    const std::int64_t heads = n.Hq + 2 * n.Hk;
    packed = graph.input("packed", {dtype, {n.B, n.S, heads * n.D}});
    std::array<Value, 3> qkv{};
    if (way == Way::split || way == Way::split_in_rows) {
      const auto made = graph.add_all("split", Split{2, {n.Hq * n.D, n.Hk * n.D, n.Hk * n.D}}, {packed});
      for (std::size_t i = 0; i < 3; ++i) {
        parts[i] = made[i];
        qkv[i] = graph.add(name("rows", i), Reshape{{n.B, n.S, -1, n.D}}, {made[i]});
        if (way == Way::split) qkv[i] = graph.add(name("heads", i), Transpose{{0, 2, 1, 3}}, {qkv[i]});
      }
    } else if (way == Way::gathered) {
      const Value five = graph.add("five", Reshape{{n.B, n.S, 3, n.Hq, n.D}}, {packed});
      const Value turned = graph.add("turned", Transpose{{2, 0, 3, 1, 4}}, {five});
      for (std::size_t i = 0; i < 3; ++i) {
        const auto index = static_cast<std::int64_t>(i) - (i == 2 ? 3 : 0);  // -1 is the last
        qkv[i] = parts[i] = graph.add(name("part", i), Gather{0}, {turned, position(graph, name("at", i), index)});
      }
    } else {
      const Value rows = graph.add("rows", Reshape{{n.B, n.S, n.Hq, 3 * n.D}}, {packed});
      const Value turned = graph.add("turned", Transpose{{0, 2, 1, 3}}, {rows});
      for (std::size_t i = 0; i < 3; ++i)
        qkv[i] = parts[i] =
            graph.add(name("part", i), Slice{{3}, {static_cast<std::int64_t>(i) * n.D}, {n.D}, {}}, {turned});
    }
    if (way == Way::split_in_rows) attention.layout = AttentionLayout::bshd;
    y = graph.add("y", attention, {qkv[0], qkv[1], qkv[2]});
    if (way != Way::split_in_rows) y = graph.add("turned_y", Transpose{{0, 2, 1, 3}}, {y});
    graph.returns(y);
  }

  static std::string name(const char* what, std::size_t i) { return ir::cat(what, i); }

  passes::Fused fused(std::vector<Value> also = {}) const {
    also.push_back(y);
    const ir::Feeds none;
    return passes::fuse(graph, {std::move(also)}, none, testing::h200());
  }
  Names fused_names(std::vector<Value> also = {}) const { return op_names(fused(std::move(also))); }
};

constexpr Sizes usual{2, 37, 4, 4, 16}, shared{3, 37, 4, 2, 16};

TEST(AttentionViews, NothingIsLeftOfTakingAPackedTensorApart) {
  for (const Way way : {Way::split, Way::split_in_rows, Way::gathered, Way::sliced}) {
    const Layer layer(way, usual, DType::f16);
    const passes::Fused made = layer.fused();
    EXPECT_EQ(layer.fused_names(), Names{"viewed_attention"}) << names_of_ways[static_cast<int>(way)];
    const ir::Node& node = made.graph.nodes().back();
    EXPECT_THAT(node.inputs, ::testing::Each(layer.packed));
    EXPECT_EQ(node.op.as<fused_ops::ViewedAttention>().layout, AttentionLayout::bshd);
  }
}

TEST(AttentionViews, PartsLieWhereTheyWerePut) {
  const passes::Fused made = Layer(Way::split, shared, DType::f32).fused();
  const auto& op = made.graph.nodes().back().op.as<fused_ops::ViewedAttention>();
  EXPECT_EQ(op.offsets, (std::vector<std::int64_t>{0, 64, 96}));
  EXPECT_EQ(op.heads, (std::vector<std::int64_t>{16, 16, 16}));
  EXPECT_EQ(op.rows, (std::vector<std::int64_t>{128, 128, 128}));
  EXPECT_EQ(op.sizes, (std::vector<std::int64_t>{3, 4, 2, 37, 37, 16, 16}));
}

TEST(AttentionViews, WhatIsWantedIsStillMade) {
  const Layer layer(Way::split, usual, DType::f32);
  EXPECT_EQ(layer.fused_names({layer.parts[1]}), (Names{"split", "viewed_attention"}));
  Layer read(Way::split, usual, DType::f32);
  const Value more = read.graph.add("more", ir::ops::Unary{ir::ops::UnaryFunction::negate}, {read.parts[2]});
  EXPECT_EQ(read.fused_names({more}), (Names{"split", "viewed_attention", "unary"}));
}

TEST(AttentionViews, HeadsThatDoNotLieDenseOrAlignedAreCopied) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {2, 9, 4, 50}});
  const auto part = [&](const std::string& label, std::int64_t start, std::int64_t step) {
    return graph.add(label, Slice{{3}, {start}, {16}, {step}}, {x});
  };
  const Value y =
      graph.add("y", Attention{.layout = AttentionLayout::bshd}, {part("q", 0, 2), part("k", 17, 1), part("v", 34, 1)});
  graph.returns(y);
  const ir::Feeds none;
  EXPECT_EQ(op_names(passes::fuse(graph, {{y}}, none, testing::h200())),
            (Names{"slice", "slice", "slice", "attention"}));
}

// Keys are read where the split has left them, and values, which do not lie aligned, from the split itself.
TEST(AttentionViews, ASplitStaysOfWhichOnePartIsCopied) {
  ir::Graph graph;
  const Value q = graph.input("q", {DType::f32, {2, 4, 3, 8}});
  const Value packed = graph.input("packed", {DType::f32, {2, 9, 3, 40}});
  const auto parts = graph.add_all("split", Split{3, {8, 32}}, {packed});
  const Value y = graph.add("y", Attention{.layout = AttentionLayout::bshd}, {q, parts[0], parts[1]});
  graph.returns(y);
  const ir::Feeds none;
  const passes::Fused made = passes::fuse(graph, {{y}}, none, testing::h200());
  ASSERT_EQ(op_names(made), (Names{"split", "viewed_attention"}));
  EXPECT_EQ(made.graph.nodes().back().inputs, (std::vector<Value>{q, packed, parts[1]}));
}

TEST(AttentionViews, AnIndexOutsideIsLeftForTheKernelToReport) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {2, 2, 5, 3, 8}});
  const Value part = graph.add("part", Gather{0}, {x, position(graph, "at", 2)});
  const Value y = graph.add("y", Attention{}, {part, part, part});
  graph.returns(y);
  const ir::Feeds none;
  EXPECT_EQ(op_names(passes::fuse(graph, {{y}}, none, testing::h200())), (Names{"gather", "attention"}));
}

ir::Tensor drawn(const ir::TensorType& type) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  ir::Tensor wide({DType::f64, type.shape});
  for (double& number : wide.as<double>()) number = normal(random);
  return ir::convert(wide, type.dtype);
}

struct Case {
  const char* name;
  Way way;
  Sizes n;
  DType dtype;
  Attention op = {};
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class AttentionViewsOnDevice : public testing::OnDevice, public ::testing::WithParamInterface<Case> {};

// Kernels do the same arithmetic on copies: copies in front of them change no bit.
TEST_P(AttentionViewsOnDevice, GivesWhatCopiesGive) {
  const auto& [name, way, n, dtype, op] = GetParam();
  const Layer layer(way, n, dtype, op);
  const ir::Feeds feeds = {{"packed", drawn(layer.graph.type(layer.packed))}};
  const ir::Capture wanted{{layer.y}};
  const auto by = [&](bool fuses) {
    const auto executor = testing::executor_with([&](device::VulkanOptions& options) { options.fuse = fuses; });
    return executor->compile(layer.graph, feeds, wanted)->run(feeds).at(layer.y);
  };
  ASSERT_EQ(layer.fused_names(), Names{"viewed_attention"});
  const ir::Tensor viewed = by(true), copied = by(false);
  EXPECT_TRUE(std::ranges::equal(viewed.bytes(), copied.bytes()));
  const ir::Tensor numbers = ir::convert(viewed, DType::f64);
  EXPECT_TRUE(std::ranges::any_of(numbers.as<double>(), [](double x) { return x != 0; }));
}

constexpr Attention causal{.causal = true};
INSTANTIATE_TEST_SUITE_P(
    , AttentionViewsOnDevice,
    ::testing::Values(Case{"split_f32", Way::split, usual, DType::f32},
                      Case{"split_f16", Way::split, usual, DType::f16},
                      Case{"split_bf16", Way::split, usual, DType::bf16},
                      Case{"grouped_f16", Way::split, shared, DType::f16, causal},
                      Case{"rows_f16_64", Way::split_in_rows, {2, 33, 2, 1, 64}, DType::f16, causal},
                      Case{"gathered_f32", Way::gathered, usual, DType::f32, causal},
                      Case{"gathered_f16", Way::gathered, {1, 65, 3, 3, 32}, DType::f16},
                      Case{"sliced_f16", Way::sliced, usual, DType::f16},
                      Case{"sliced_odd_f32", Way::sliced, {3, 5, 2, 2, 7}, DType::f32},
                      Case{"one_position", Way::split, {3, 1, 2, 2, 8}, DType::f32},
                      Case{"one_head", Way::gathered, {2, 9, 1, 1, 8}, DType::f32}),
    [](const auto& of_case) { return of_case.param.name; });

}  // namespace
}  // namespace plumb::gpu_vulkan::attention_views_test
