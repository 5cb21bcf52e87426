// Graphs after the passes, on devices that are made up: no GPU is needed.
#include "gpu_vulkan/passes/passes.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "gpu_vulkan/fused_ops/fused_conv.hpp"
#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "ir/fill.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/facts.hpp"

namespace plumb::gpu_vulkan::passes_test {
namespace {

using namespace ir::ops;
using ir::DType;
using ir::Shape;
using ir::Value;
using ::testing::ElementsAre;
using Unary1 = UnaryFunction;
using Names = std::vector<std::string>;

/// A graph being written.
struct Writer {
  ir::Graph graph = {};
  ir::Feeds params = {};
  DType dtype = DType::f32;

  Value input(const char* name, Shape shape) { return graph.input(name, {dtype, std::move(shape)}); }
  Value param(const char* name, Shape shape, double value) {
    const ir::TensorType type{dtype, std::move(shape)};
    params.emplace(
        name, ir::fill(type, {.distribution = ir::Distribution::constant, .value = value}, 1, ir::stream_of(name)));
    return graph.param(name, type);
  }
  Value number(double value) {
    const ir::Tensor x = ir::convert(ir::Tensor::of<double>({}, {value}), dtype);
    return graph.add(label("number"), Constant{dtype, {}, {x.bytes().begin(), x.bytes().end()}}, {});
  }
  Value binary(BinaryFunction f, Value a, Value b) { return graph.add(label("binary"), Binary{f}, {a, b}); }
  Value add(Value a, Value b) { return binary(BinaryFunction::add, a, b); }
  Value multiply(Value a, Value b) { return binary(BinaryFunction::multiply, a, b); }
  Value divide(Value a, Value b) { return binary(BinaryFunction::divide, a, b); }
  Value unary(UnaryFunction f, Value x) { return graph.add(label("unary"), Unary{f}, {x}); }
  Value mean(Value x, std::vector<std::int64_t> axes) {
    return graph.add(label("mean"), Reduce{ReduceFunction::mean, std::move(axes), true}, {x});
  }
  Value op(ir::Op op, std::vector<Value> inputs) { return graph.add(label("op"), std::move(op), std::move(inputs)); }

  std::string label(const char* kind) { return ir::cat(kind, graph.nodes().size()); }

  /// The ops that are left when `result` is wanted, constants aside.
  Names fused(std::vector<Value> wanted, const device::DeviceFacts& facts = testing::h200()) const {
    Names names;
    const auto next = passes::fuse(graph, {std::move(wanted)}, params, facts);
    for (const ir::Node& node : next.graph.nodes())
      if (!node.op.is<Constant>()) names.emplace_back(node.op.name());
    EXPECT_EQ(ir::verify(next.graph), Names{});
    return names;
  }
};

struct Norm {
  Writer w;
  Value x, scale, bias, d, y;

  explicit Norm(std::vector<std::int64_t> axes = {-1}, std::string_view square = "power",
                std::string_view root = "divide", DType dtype = DType::f32) {
    w.dtype = dtype;
    x = w.input("x", {3, 5, 7});
    scale = w.input("scale", {5, 7});
    bias = w.input("bias", {7});
    d = w.binary(BinaryFunction::subtract, x, w.mean(x, axes));
    const Value squares = square == "power"      ? w.binary(BinaryFunction::power, d, w.number(2))
                          : square == "multiply" ? w.multiply(d, d)
                                                 : w.unary(Unary1::square, d);
    const Value inside = w.add(w.number(1e-5), w.mean(squares, axes));
    y = root == "divide"       ? w.divide(d, w.unary(Unary1::sqrt, inside))
        : root == "rsqrt"      ? w.multiply(w.unary(Unary1::rsqrt, inside), d)
        : root == "reciprocal" ? w.multiply(d, w.unary(Unary1::reciprocal, w.unary(Unary1::sqrt, inside)))
                               : w.multiply(d, w.divide(w.number(1), w.unary(Unary1::sqrt, inside)));
  }
};

TEST(LayerNorms, AreRecognisedInEverySpelling) {
  for (const char* square : {"power", "multiply", "square"})
    for (const char* root : {"divide", "rsqrt", "reciprocal", "one over"}) {
      const Norm norm({-1}, square, root);
      EXPECT_EQ(norm.w.fused({norm.y}), Names{"layer_norm"}) << square << ", " << root;
    }
}

TEST(LayerNorms, TakeScaleAndBiasAlong) {
  Norm norm({1, 2});
  const Value scaled = norm.w.multiply(norm.scale, norm.y);
  const Value y = norm.w.add(scaled, norm.bias);
  EXPECT_EQ(norm.w.fused({y}), Names{"layer_norm"});
  EXPECT_EQ(norm.w.fused({scaled, y}), (Names{"layer_norm", "binary"}));
  EXPECT_EQ(norm.w.fused({norm.y, y}), (Names{"layer_norm", "binary", "binary"}));
  const auto fused = passes::fuse(norm.w.graph, {{y}}, {}, testing::h200());
  const auto& op = fused.graph.nodes().back().op.as<LayerNorm>();
  EXPECT_EQ(op, (LayerNorm{.axis = 1, .epsilon = static_cast<double>(1e-5f)}));
}

TEST(LayerNorms, AreLeftWhereSomebodyLooksInside) {
  const Norm norm;
  EXPECT_EQ(norm.w.fused({norm.d, norm.y}).size(), 7u);
  Norm used;
  const Value other = used.w.unary(Unary1::relu, used.d);
  EXPECT_EQ(used.w.fused({used.y, other}).size(), 8u);
}

TEST(LayerNorms, AreNotSeenWhereThereAreNone) {
  for (const Norm& norm : {Norm({0, 2}), Norm({1})})
    EXPECT_EQ(norm.w.fused({norm.y}).size(), 7u);  // the axes are not the last ones
  const Norm of_f64({-1}, "power", "divide", DType::f64);
  EXPECT_EQ(of_f64.w.fused({of_f64.y}), Names{"layer_norm"});
  device::DeviceFacts without = testing::h200();
  without.float64 = false;
  EXPECT_EQ(of_f64.w.fused({of_f64.y}, without).size(), 7u);
}

Value gelu(Writer& w, Value x, int spelling, double root = std::sqrt(2.0), double half = 0.5) {
  const Value argument = spelling % 2 == 0 ? w.divide(x, w.number(root)) : w.multiply(w.number(1 / root), x);
  const Value plus = w.add(w.unary(Unary1::erf, argument), w.number(1));
  if (spelling / 2 == 0) return w.multiply(w.multiply(x, plus), w.number(half));
  if (spelling / 2 == 1) return w.multiply(w.multiply(w.number(half), x), plus);
  return w.divide(w.multiply(plus, x), w.number(2));
}

Value tanh_gelu(Writer& w, Value x, bool by_products, double factor = 0.044715) {
  const Value cube = by_products ? w.multiply(x, w.multiply(x, x)) : w.binary(BinaryFunction::power, x, w.number(3));
  const Value inner = w.add(x, w.multiply(w.number(factor), cube));
  const Value tanh = w.unary(Unary1::tanh, w.multiply(inner, w.number(0.7978845608028654)));
  return w.multiply(w.multiply(w.number(0.5), x), w.add(w.number(1), tanh));
}

TEST(Gelus, AreRecognisedInEverySpelling) {
  for (int spelling = 0; spelling < 6; ++spelling) {
    Writer w;
    const Value y = gelu(w, w.input("x", {3, 5}), spelling);
    EXPECT_EQ(w.fused({y}), Names{"unary"}) << spelling;
  }
  for (const bool by_products : {false, true}) {
    Writer w;
    const Value y = tanh_gelu(w, w.input("x", {3, 5}), by_products);
    const auto fused = passes::fuse(w.graph, {{y}}, {}, testing::h200());
    EXPECT_EQ(fused.graph.nodes().back().op, ir::Op(Unary{Unary1::gelu_tanh}));
  }
}

TEST(Gelus, OfOtherNumbersAreLeft) {
  Writer w;
  const Value x = w.input("x", {3, 5});
  const Value near = gelu(w, x, 0, 1.4142), other = tanh_gelu(w, x, false, 0.0447);
  EXPECT_GT(w.fused({near, other}).size(), 10u);
  Writer by_half;  // a unit off makes the result as much wrong, of 3 that the primitives may round (docs/bounds.md)
  const Value y = gelu(by_half, by_half.input("x", {3, 5}), 0, std::sqrt(2.0), 0.5 - 0x1p-25);
  EXPECT_EQ(by_half.fused({y}).size(), 5u);
}

TEST(Gelus, OfSixteenBitNumbersAreLeft) {
  // √2 rounded to f16 is another number: far out, where 1 + erf is small, another result.
  Writer w{.dtype = DType::f16};
  EXPECT_EQ(w.fused({gelu(w, w.input("x", {3, 5}), 0)}).size(), 5u);
}

TEST(Gelus, OfAProductAreOfTheWholeProduct) {
  Writer w;
  const Value a = w.input("a", {3, 5}), b = w.input("b", {3, 5});
  EXPECT_EQ(w.fused({gelu(w, w.multiply(a, b), 0)}), (Names{"binary", "unary"}));
}

struct Scores {
  Writer w;
  Value q, v, right, weights, y;

  /// k as it is and transpose_b, or transposed by {0, 1, 3, 2}, or from heads inside.
  explicit Scores(int keys, bool masked, bool scaled = true, Shape k_shape = {2, 3, 6, 8}) {
    q = w.input("q", {2, 3, 5, 8});
    right = w.input("k", keys == 2 ? Shape{2, 6, 3, 8} : std::move(k_shape));
    v = w.input("v", {2, 3, 6, 4});
    const Value mask = w.input("mask", {2, 1, 1, 6});
    if (keys == 1) right = w.op(Transpose{{0, 1, 3, 2}}, {right});
    if (keys == 2) right = w.op(Transpose{{0, 2, 3, 1}}, {right});
    Value s = w.op(Matmul{false, keys == 0, {}}, {q, right});
    if (scaled) s = w.divide(s, w.number(std::sqrt(8.0)));
    if (masked) s = w.add(s, mask);
    weights = w.op(Softmax{-1}, {s});
    y = w.op(Matmul{}, {weights, v});
  }
};

TEST(Attentions, AreRecognised) {
  for (const int keys : {0, 1, 2}) {
    EXPECT_EQ(Scores(keys, false).w.fused({Scores(keys, false).y}), Names{keys < 2 ? "attention" : "viewed_attention"});
    EXPECT_EQ(Scores(keys, true).w.fused({Scores(keys, true).y}), Names{"viewed_attention"});
  }
  const Scores plain(0, false, false), biased(0, true);
  const auto made = [](const Scores& x) { return passes::fuse(x.w.graph, {{x.y}}, {}, testing::h200()).graph.nodes(); };
  EXPECT_EQ(made(plain).back().op.as<Attention>().scale, 1.0);
  EXPECT_FALSE(made(biased).back().op.as<fused_ops::ViewedAttention>().bias_masks);
}

TEST(Attentions, AreLeftWhereWeightsAreWantedOrHeadsBroadcast) {
  const Scores wanted(1, true);
  EXPECT_EQ(wanted.w.fused({wanted.weights, wanted.y}).size(), 5u);  // the transpose is a flag
  const Scores broadcast(0, false, true, {2, 1, 6, 8});
  EXPECT_EQ(broadcast.w.fused({broadcast.y}).size(), 4u);
}

TEST(Attentions, AreLeftWhereTheDeviceHasNone) {
  const Scores scores(0, true);
  device::DeviceFacts facts = testing::h200();
  facts.storage8 = false;  // attention.comp reads masks
  EXPECT_EQ(scores.w.fused({scores.y}, facts).size(), 5u);
}

TEST(Transposes, AroundAttentionAreItsOtherLayout) {
  const auto build = [](Writer& w) {
    std::vector<Value> operands;
    for (const char* name : {"q", "k", "v"}) operands.push_back(w.input(name, {2, 6, 3, 8}));
    const Value bias = w.input("bias", {6, 6});
    for (Value& v : operands) v = w.op(Transpose{{0, 2, 1, 3}}, {v});
    operands.push_back(bias);
    const Value y = w.op(Attention{.has_bias = true}, operands);
    return std::pair(operands[1], w.op(Transpose{{0, 2, 1, 3}}, {y}));
  };
  Writer w;
  const auto [k, y] = build(w);
  EXPECT_EQ(w.fused({y}), Names{"attention"});
  EXPECT_EQ(w.fused({k, y}), (Names{"transpose", "attention"}));
  EXPECT_EQ(w.fused({y - 1, y}), (Names{"viewed_attention", "transpose"}));
  const auto fused = passes::fuse(w.graph, {{y}}, {}, testing::h200());
  EXPECT_EQ(fused.graph.nodes().back().op, ir::Op(Attention{.layout = AttentionLayout::bshd, .has_bias = true}));
}

TEST(Transposes, OfOperandsAreFlagsOfTheProduct) {
  const auto build = [](const Matmul& op, std::vector<std::int64_t> permutation) {
    Writer w;
    const Value a = w.input("a", {5, 5, 5}), b = w.input("b", {4, 5});
    const Value at = w.op(Transpose{std::move(permutation)}, {a}), bt = w.op(Transpose{{1, 0}}, {b});
    const Value y = w.op(op, {at, bt});
    const auto fused = passes::fuse(w.graph, {{y}}, {}, testing::h200());

    return std::pair(fused.graph.nodes().size(), fused.graph.nodes().back().op);
  };
  EXPECT_EQ(build({}, {0, 2, 1}), std::pair(std::size_t{1}, ir::Op(Matmul{true, true, {}})));
  EXPECT_EQ(build({true, false, {}}, {0, 2, 1}), std::pair(std::size_t{1}, ir::Op(Matmul{false, true, {}})));
  EXPECT_EQ(build({}, {1, 2, 0}).first, 2u);  // an axis of the batch moves
}

TEST(BatchNorms, GoIntoKnownWeightsOnly) {
  const auto build = [](DType dtype, double variance, bool known = true) {
    Writer w{.dtype = dtype};
    const Value x = w.input("x", {2, 3, 9, 9});
    std::vector<Value> operands = {0, w.param("scale", {4}, 2), w.param("bias", {4}, 3), w.param("mean", {4}, 5),
                                   w.param("variance", {4}, variance)};
    const Value weights = w.param("weights", {4, 3, 3, 3}, 7);
    operands[0] = w.op(Conv{}, {x, weights});
    const Value y = w.op(BatchNorm{.epsilon = 1}, operands);
    if (!known) w.params.erase("weights");
    return std::pair(w, y);
  };
  const auto [w, y] = build(DType::f32, 3);
  EXPECT_EQ(w.fused({y}), Names{"conv"});
  const auto fused = passes::fuse(w.graph, {{y}}, w.params, testing::h200());
  const auto& nodes = fused.graph.nodes();
  const auto first = [&](std::size_t n) {
    float value = 0;
    std::memcpy(&value, nodes[n].op.as<Constant>().data.data(), sizeof value);
    return value;
  };
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(first(0), 7.0f);         // 7·2/√(3 + 1)
  EXPECT_EQ(first(1), 3.0f - 5.0f);  // (0 - 5)·1 + 3
  EXPECT_EQ(w.fused({y, y - 1}), (Names{"conv", "batch_norm"}));
  for (const auto& [other, last] : {build(DType::f16, 3), build(DType::f32, -2), build(DType::f32, 3, false)})
    EXPECT_EQ(other.fused({last}), (Names{"conv", "batch_norm"}));
}

TEST(Casts, OfKnownNumbersToFewerBitsAreConstants) {
  Writer w;
  const Value x = w.input("x", {2, 3}), weights = w.param("weights", {3, 5}, 1 + 0x1p-11);
  const Value narrow = w.op(Cast{DType::f16}, {weights});
  const Value y = w.op(Matmul{.output_dtype = DType::f32}, {w.op(Cast{DType::f16}, {x}), narrow});
  const Value wide = w.op(Cast{DType::f64}, {weights});
  EXPECT_EQ(w.fused({y, wide}), (Names{"cast", "matmul", "cast"}));  // x is not known, f64 has more bits
  const auto fused = passes::fuse(w.graph, {{y}}, w.params, testing::h200());
  const auto& made = fused.graph.nodes()[*fused.graph.producer(narrow)];
  EXPECT_EQ(made.label, "op0");
  EXPECT_EQ(ir::TensorView({DType::f16, {3, 5}}, made.op.as<Constant>().data).as<ir::f16>()[14], ir::f16(1.0));
  w.params.erase("weights");
  EXPECT_EQ(w.fused({y}), (Names{"cast", "cast", "matmul", "cast"}));
}

TEST(Biases, MakeAProductAGemm) {
  const auto ops = [](Shape x, Shape row, bool wanted = false) {
    Writer w;
    const Value rows = w.input("x", std::move(x)), weights = w.input("w", {7, 4}), c = w.input("row", std::move(row));
    const Value product = w.op(Matmul{}, {rows, weights}), y = w.add(c, product);
    return wanted ? w.fused({product, y}) : w.fused({y});
  };
  EXPECT_EQ(ops({5, 7}, {4}), Names{"gemm"});
  EXPECT_EQ(ops({2, 5, 7}, {4}), (Names{"reshape", "gemm", "reshape"}));
  EXPECT_EQ(ops({5, 7}, {1, 4}), (Names{"reshape", "gemm"}));
  EXPECT_EQ(ops({5, 7}, {5, 1}), (Names{"matmul", "binary"}));
  EXPECT_EQ(ops({5, 7}, {2, 1, 4}), (Names{"matmul", "binary"}));  // the row makes it larger
  EXPECT_EQ(ops({5, 7}, {4}, true), (Names{"matmul", "binary"}));
}

TEST(ConvEpilogues, TakeAResidualAndLimitsAlong) {
  struct Block {
    Writer w;
    Value conv, sum, y;
  };
  const auto build = [](bool adds, bool clamps, DType dtype = DType::f32) {
    Block b;
    b.w.dtype = dtype;
    const Value x = b.w.input("x", {1, 4, 9, 9}), r = b.w.input("r", {1, 4, 9, 9}), k = b.w.input("k", {4, 4, 1, 1});
    b.conv = b.y = b.w.op(Conv{}, {x, k});
    b.sum = b.y = adds ? b.w.add(r, b.y) : b.y;
    const Value zero = b.w.number(0), six = b.w.number(6);
    b.y = clamps ? b.w.op(Clamp{}, {b.y, zero, six}) : b.w.unary(Unary1::relu, b.y);
    return b;
  };
  for (const bool adds : {false, true})
    for (const bool clamps : {false, true}) {
      const auto b = build(adds, clamps);
      EXPECT_EQ(b.w.fused({b.y}), Names{"fused_conv"});
      const auto fused = passes::fuse(b.w.graph, {{b.y}}, {}, testing::h200());
      const auto& op = fused.graph.nodes().back().op.as<fused_ops::FusedConv>();
      EXPECT_EQ(op.has_residual, adds);
      EXPECT_EQ(op.low, 0.0);
      EXPECT_EQ(op.high, clamps ? std::optional(6.0) : std::nullopt);
    }
  const auto b = build(true, false);
  EXPECT_EQ(b.w.fused({b.sum, b.y}), (Names{"fused_conv", "unary"}));
  EXPECT_EQ(b.w.fused({b.conv, b.y}), (Names{"conv", "binary", "unary"}));
  const auto wide = build(true, false, DType::f64);
  EXPECT_EQ(wide.w.fused({wide.y}), (Names{"fused_conv", "unary"}));  // limits are of 32 bits
}

TEST(Fuse, SaysWhoHasWhoseWork) {
  const Norm norm;
  const auto fused = passes::fuse(norm.w.graph, {{norm.y}}, {}, testing::h200());
  const auto lines = passes::fusions(fused, norm.w.graph);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::StartsWith(
                            ir::cat("layer_norm '", norm.w.graph.name(norm.y), "' has the work of mean0, binary1, ")));
  EXPECT_TRUE(passes::fusions(passes::unfused(norm.w.graph, {{norm.y}}), norm.w.graph).empty());
}

TEST(Fuse, CopiesOfAPlainRunDoNotChangeIt) {
  Writer w;
  const Value x = w.input("x", {2, 130, 264}), a = w.op(Unary{UnaryFunction::tanh}, {x}), y = w.add(a, x);
  const auto fused = [&](const ir::Capture& capture) {
    return passes::fuse(w.graph, capture, {}, testing::h200(), {.on = true});
  };
  const auto plain = fused({{y}}), copied = fused({{y}, true, true}), watched = fused({{y}, true});
  EXPECT_EQ(ir::to_text(copied.graph), ir::to_text(plain.graph));
  EXPECT_NE(ir::to_text(watched.graph), ir::to_text(plain.graph));
  EXPECT_EQ(copied.capture.wanted, (std::vector<Value>{y, y}));  // the hyperbolic tangent is inside a region
}

TEST(Fuse, ReportsByNodeOfTheOriginal) {
  Writer w;
  const Value x = w.input("x", {2, 5, 7}), weights = w.input("w", {7, 4}), row = w.input("row", {4});
  const Value product = w.op(Matmul{}, {x, weights}), y = w.add(product, row);
  const auto fused = passes::fuse(w.graph, {{y}, true}, {}, testing::h200());
  EXPECT_EQ(fused.capture.wanted, (std::vector<Value>{y, y}));  // the product is gone
  EXPECT_FALSE(fused.capture.surviving);
  std::vector<ir::NodeReport> reports(3);
  reports[0].placement = reports[2].placement = ir::Placement::elided;
  reports[1] = {ir::Placement::gpu, "tiled", "", 70};
  const auto made = passes::reports_of(fused, w.graph, reports);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].placement, ir::Placement::fused);
  EXPECT_EQ(made[0].kernel, w.graph.name(y));
  EXPECT_EQ(made[0].reason, "is part of gemm there");
  EXPECT_EQ(made[1].placement, ir::Placement::gpu);
  EXPECT_EQ(made[1].kernel, "tiled");
  EXPECT_EQ(made[1].nanoseconds, 70u);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::passes_test
