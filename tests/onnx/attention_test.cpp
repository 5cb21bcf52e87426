// Attention and RotaryEmbedding as ONNX has them, against loops that say what its text says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::attention_test {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers between -2 and 2 that differ.
std::vector<double> wave(std::int64_t count, double phase) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(2 * std::sin(phase + 1.7 * static_cast<double>(i))));
  return values;
}

ir::Tensor tensor(const ir::Shape& shape, const std::vector<double>& values, ir::DType dtype = ir::DType::f32) {
  return ir::convert(ir::Tensor::of<double>(shape, values), dtype);
}

/// A question to Attention: extents, and what is added to a score or hides it.
struct Case {
  std::int64_t B = 2, Hq = 2, Hk = 2, Sq = 3, Sk = 4, D = 4, Dv = 3, past = 0;
  double scale = 0, softcap = 0;  ///< 0: usual, none
  bool causal = false;
  std::int64_t left = -1, right = -1;
  std::vector<std::int64_t> lengths = {};
  std::function<double(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j)> bias = {};

  std::int64_t keys() const { return past + Sk; }
  std::vector<double> q() const { return wave(B * Hq * Sq * D, 0.1); }
  std::vector<double> k() const { return wave(B * Hk * keys() * D, 0.7); }
  std::vector<double> v() const { return wave(B * Hk * keys() * Dv, 1.3); }
};

struct Answer {
  std::vector<double> y, stages[4];
};

/// By the text of Attention-25: scores, softcap, what is added, softmax, sums; a query that sees no key gets zeros.
Answer answer(const Case& c) {
  Answer made;
  const auto q = c.q(), k = c.k(), v = c.v();
  const auto at = [](const std::vector<double>& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  const double scale = c.scale != 0 ? c.scale : 1 / std::sqrt(static_cast<double>(c.D));
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t h = 0; h < c.Hq; ++h)
      for (std::int64_t i = 0; i < c.Sq; ++i) {
        const std::int64_t kv = b * c.Hk + h / (c.Hq / c.Hk);
        const std::int64_t length = c.lengths.empty() ? c.keys() : c.lengths[static_cast<std::size_t>(b)];
        const std::int64_t p = i + (c.lengths.empty() ? c.past : length - c.Sq);
        std::vector<double> scores;
        double largest = -infinity;
        for (std::int64_t j = 0; j < c.keys(); ++j) {
          double s = 0;
          for (std::int64_t d = 0; d < c.D; ++d)
            s += at(q, ((b * c.Hq + h) * c.Sq + i) * c.D + d) * at(k, (kv * c.keys() + j) * c.D + d);
          made.stages[0].push_back(s *= scale);
          made.stages[1].push_back(s = c.softcap > 0 ? c.softcap * std::tanh(s / c.softcap) : s);
          const bool hidden = j >= length || (c.causal && j > p) || (c.left >= 0 && j < p - c.left) ||
                              (c.right >= 0 && j > p + c.right);
          s = hidden ? -infinity : s + (c.bias ? c.bias(b, h, i, j) : 0);
          made.stages[2].push_back(s);
          scores.push_back(s);
          largest = std::max(largest, s);
        }
        double sum = 0;
        for (double& s : scores) sum += s = largest == -infinity ? 0 : std::exp(s - largest);
        for (const double s : scores) made.stages[3].push_back(sum == 0 ? 0 : s / sum);
        for (std::int64_t d = 0; d < c.Dv; ++d) {
          double y = 0;
          for (std::int64_t j = 0; j < c.keys(); ++j)
            y += at(made.stages[3], static_cast<std::int64_t>(made.stages[3].size()) - c.keys() + j) *
                 at(v, (kv * c.keys() + j) * c.Dv + d);
          made.y.push_back(y);
        }
      }
  return made;
}

/// The node of a case, with all of its outputs but those of the cache; attributes of heads are set by the caller.
::onnx::NodeProto& ask(ModelMaker& maker, const Case& c, std::int64_t mode, const std::string& mask = {}) {
  maker.output("y").output("scores");
  auto& node = maker.node("Attention", {"q", "k", "v", mask, "", "", c.lengths.empty() ? "" : "lengths"},
                          {"y", "", "", "scores"});
  set_int(node, "is_causal", c.causal ? 1 : 0);
  set_int(node, "qk_matmul_output_mode", mode);
  if (c.scale != 0) set_real(node, "scale", static_cast<float>(c.scale));
  if (c.softcap != 0) set_real(node, "softcap", static_cast<float>(c.softcap));
  if (c.left >= 0) set_int(node, "left_window_size", c.left);
  if (c.right >= 0) set_int(node, "right_window_size", c.right);
  return node;
}

ir::Feeds feeds_of(const Case& c) {
  ir::Feeds feeds = {{"q", tensor({c.B, c.Hq, c.Sq, c.D}, c.q())},
                     {"k", tensor({c.B, c.Hk, c.keys(), c.D}, c.k())},
                     {"v", tensor({c.B, c.Hk, c.keys(), c.Dv}, c.v())}};
  if (!c.lengths.empty()) feeds.emplace("lengths", ir::Tensor::of<std::int64_t>({c.B}, c.lengths));
  return feeds;
}

ModelMaker model_of(const ir::Feeds& feeds, std::int64_t opset) {
  ModelMaker maker(opset);
  for (const auto& [name, tensor] : feeds) maker.input(name, tensor.shape(), onnx_type(tensor.dtype()));
  return maker;
}

/// Holds y and all four stages of the scores against the loops.
void expect(const Case& c, std::int64_t opset, const ir::Tensor* mask = nullptr) {
  const Answer right = answer(c);
  ir::Feeds feeds = feeds_of(c);
  if (mask != nullptr) feeds.emplace("mask", *mask);
  for (std::int64_t mode = 0; mode < 4; ++mode) {
    ModelMaker maker = model_of(feeds, opset);
    ask(maker, c, mode, mask != nullptr ? "mask" : "");
    const auto made = maker.run_all(feeds);
    EXPECT_EQ(made[0].shape(), (ir::Shape{c.B, c.Hq, c.Sq, c.Dv}));
    EXPECT_EQ(made[1].shape(), (ir::Shape{c.B, c.Hq, c.Sq, c.keys()}));
    EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(1e-5), right.y));
    const auto shown = numbers(made[1]);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const double wanted = right.stages[mode][i];
      if (std::isinf(wanted))
        EXPECT_EQ(shown[i], wanted) << mode << ' ' << i;
      else
        EXPECT_NEAR(shown[i], wanted, 1e-5) << mode << ' ' << i;
    }
  }
}

TEST(OnnxAttention, OfHeadsInFront) { expect({}, 23); }

TEST(OnnxAttention, OfGroupedHeadsWithAScale) { expect({.Hq = 6, .Hk = 2, .scale = 0.375}, 23); }

TEST(OnnxAttention, OfOneOfEach) { expect({.B = 1, .Hq = 1, .Hk = 1, .Sq = 1, .Sk = 1, .D = 1, .Dv = 1}, 23); }

TEST(OnnxAttention, CausalCountsFromTheFirstKeyWithoutACache) {
  expect({.Sq = 5, .Sk = 3, .causal = true}, 23);
  expect({.Sq = 2, .Sk = 5, .causal = true}, 23);
}

TEST(OnnxAttention, LengthsMoveTheDiagonalAndMayHideAll) {
  expect({.Sq = 3, .Sk = 5, .causal = true, .lengths = {5, 2}}, 24);
  expect({.Sq = 2, .Sk = 4, .lengths = {3, 0}}, 24);
}

TEST(OnnxAttention, Windows) {
  expect({.Sq = 4, .Sk = 6, .left = 2, .right = 1}, 25);
  expect({.Sq = 4, .Sk = 6, .causal = true, .left = 1, .lengths = {6, 3}}, 25);
  expect({.Sq = 4, .Sk = 6, .right = 0, .lengths = {5, 4}}, 25);
}

TEST(OnnxAttention, SoftcapComesBeforeTheBias) {
  const Case c{.softcap = 0.5, .bias = [](auto, auto, std::int64_t i, std::int64_t j) {
                 return i == 1 ? -infinity : 0.25 * static_cast<double>(i - j);
               }};
  std::vector<double> bias;
  for (std::int64_t i = 0; i < c.Sq; ++i)
    for (std::int64_t j = 0; j < c.keys(); ++j) bias.push_back(c.bias(0, 0, i, j));
  const ir::Tensor mask = tensor({c.Sq, c.keys()}, bias);
  expect(c, 23, &mask);
}

TEST(OnnxAttention, BoolsOfEachHeadTogetherWithCausal) {
  const Case c{.Sk = 3, .causal = true, .bias = [](auto, std::int64_t h, std::int64_t i, std::int64_t j) {
                 return (h + i + j) % 2 == 0 ? 0 : -infinity;
               }};
  std::vector<double> mask;
  for (std::int64_t h = 0; h < c.Hq; ++h)
    for (std::int64_t i = 0; i < c.Sq; ++i)
      for (std::int64_t j = 0; j < c.keys(); ++j) mask.push_back(c.bias(0, h, i, j) == 0 ? 1 : 0);
  const ir::Tensor given = tensor({c.Hq, c.Sq, c.keys()}, mask, ir::DType::boolean);
  expect(c, 23, &given);
}

TEST(OnnxAttention, AShortMaskHidesTheKeysBehindIt) {
  const Case c{.Sk = 5, .bias = [](auto, auto, auto, std::int64_t j) { return j >= 2 ? -infinity : j == 1 ? 0.5 : 0; }};
  const ir::Tensor mask = tensor({1, 2}, {0, 0.5});
  expect(c, 24, &mask);
  const Case first{.bias = [](auto, auto, auto, std::int64_t j) { return j >= 1 ? -infinity : 0; }};
  const ir::Tensor one = tensor({3, 1}, {1, 1, 1}, ir::DType::boolean);
  expect(first, 24, &one);  // one column stands for the first key since opset 24, and for all before
  expect({}, 23, &one);
}

TEST(OnnxAttention, PackedHeadsAndACache) {
  const Case c{.Hq = 4, .Hk = 2, .Sq = 3, .Sk = 3, .past = 2, .causal = true};
  const auto packed = [&](const std::vector<double>& x, std::int64_t heads, std::int64_t from, std::int64_t length,
                          std::int64_t depth) {  // steps from `from` on, heads behind them
    std::vector<double> made;
    const std::int64_t all = static_cast<std::int64_t>(x.size()) / (c.B * heads * depth);
    for (std::int64_t b = 0; b < c.B; ++b)
      for (std::int64_t s = from; s < from + length; ++s)
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t d = 0; d < depth; ++d)
            made.push_back(x[static_cast<std::size_t>(((b * heads + h) * all + s) * depth + d)]);
    return tensor({c.B, length, heads * depth}, made);
  };
  const auto kept = [&](const std::vector<double>& x, std::int64_t depth) {
    std::vector<double> made;
    for (std::int64_t line = 0; line < c.B * c.Hk; ++line)
      for (std::int64_t i = 0; i < c.past * depth; ++i)
        made.push_back(x[static_cast<std::size_t>(line * c.keys() * depth + i)]);
    return tensor({c.B, c.Hk, c.past, depth}, made);
  };
  const ir::Feeds feeds = {{"q", packed(c.q(), c.Hq, 0, c.Sq, c.D)},
                           {"k", packed(c.k(), c.Hk, c.past, c.Sk, c.D)},
                           {"v", packed(c.v(), c.Hk, c.past, c.Sk, c.Dv)},
                           {"past_k", kept(c.k(), c.D)},
                           {"past_v", kept(c.v(), c.Dv)}};
  ModelMaker maker = model_of(feeds, 23);
  for (const char* name : {"y", "now_k", "now_v"}) maker.output(name);
  auto& node = maker.node("Attention", {"q", "k", "v", "", "past_k", "past_v"}, {"y", "now_k", "now_v"});
  set_int(node, "is_causal", 1);
  set_int(node, "q_num_heads", c.Hq);
  set_int(node, "kv_num_heads", c.Hk);
  const auto made = maker.run_all(feeds);
  EXPECT_EQ(made[1].shape(), (ir::Shape{c.B, c.Hk, c.keys(), c.D}));
  EXPECT_EQ(numbers(made[1]), c.k());
  EXPECT_EQ(numbers(made[2]), c.v());
  EXPECT_EQ(made[0].shape(), (ir::Shape{c.B, c.Sq, c.Hq * c.Dv}));
  EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(1e-5), numbers(packed(answer(c).y, c.Hq, 0, c.Sq, c.Dv))));
}

TEST(OnnxAttention, ValuesAndSoftmaxOfOtherTypes) {
  const Case c;
  ir::Feeds feeds = feeds_of(c);
  for (const char* name : {"q", "k"}) feeds.at(name) = ir::convert(feeds.at(name), ir::DType::f16);
  ModelMaker maker = model_of(feeds, 23);
  ask(maker, c, 3);
  const auto made = maker.run_all(feeds);
  EXPECT_EQ(made[0].dtype(), ir::DType::f16);
  EXPECT_EQ(made[1].dtype(), ir::DType::f16);
  EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(5e-3), answer(c).y));

  ModelMaker narrow = model_of(feeds_of(c), 23);  // weights of 11 bits: sums that are f32, but of rounded numbers
  set_int(ask(narrow, c, 3), "softmax_precision", ::onnx::TensorProto::FLOAT16);
  const auto rounded = narrow.run_all(feeds_of(c));
  EXPECT_EQ(rounded[0].dtype(), ir::DType::f32);
  EXPECT_EQ(numbers(ir::convert(rounded[1], ir::DType::f16)), numbers(rounded[1]));
  EXPECT_THAT(numbers(rounded[0]), Pointwise(DoubleNear(5e-3), answer(c).y));
}

TEST(OnnxAttention, RefusesWhatDoesNotFit) {
  const auto message = [](const std::function<void(::onnx::NodeProto&)>& change) {
    ir::Feeds feeds = feeds_of({});
    ModelMaker maker = model_of(feeds, 23);
    change(ask(maker, {}, 0));
    return message_of([&] { maker.read(); });
  };
  EXPECT_THAT(message([](auto& node) { *node.mutable_input(4) = "k"; }), HasSubstr("past_key and past_value"));
  EXPECT_THAT(message([](auto& node) { set_int(node, "softmax_precision", ::onnx::TensorProto::INT32); }),
              HasSubstr("softmax_precision"));
}

/// RotaryEmbedding by its text: x [B, H, S, D], tables [P, n/2], a row of them for each token.
std::vector<double> rotated(const std::vector<double>& x, std::int64_t D, std::int64_t n, bool interleaved,
                            const std::vector<double>& cos, const std::vector<double>& sin,
                            const std::function<std::int64_t(std::int64_t line)>& row_of) {
  std::vector<double> y = x;
  for (std::int64_t line = 0; line < static_cast<std::int64_t>(x.size()) / D; ++line)
    for (std::int64_t i = 0; i < n / 2; ++i) {
      const auto first = static_cast<std::size_t>(line * D + (interleaved ? 2 * i : i));
      const auto second = static_cast<std::size_t>(line * D + (interleaved ? 2 * i + 1 : i + n / 2));
      const auto at = static_cast<std::size_t>(row_of(line) * (n / 2) + i);
      y[first] = cos[at] * x[first] - sin[at] * x[second];
      y[second] = sin[at] * x[first] + cos[at] * x[second];
    }
  return y;
}

TEST(OnnxRotaryEmbedding, OfPositionsAndOfTablesForEachToken) {
  constexpr std::int64_t B = 2, H = 3, S = 4, D = 6;
  const auto x = wave(B * H * S * D, 0.3);
  for (const bool interleaved : {false, true})
    for (const std::int64_t n : {0, 4}) {
      const std::int64_t half = (n == 0 ? D : n) / 2;
      const auto cos = wave(B * S * half, 0.4), sin = wave(B * S * half, 0.9);
      const std::vector<std::int64_t> positions = {7, 0, 3, 2, 1, 1, 6, 5};
      const auto ask = [&](bool by_position, const ir::Shape& table) {
        ModelMaker maker(23);
        maker.input("x", {B, H, S, D}).output("y");
        maker.initializer("cos", tensor(table, cos)).initializer("sin", tensor(table, sin));
        maker.initializer("positions", ir::Tensor::of<std::int64_t>({B, S}, positions));
        auto& node = maker.node("RotaryEmbedding", {"x", "cos", "sin", by_position ? "positions" : ""}, {"y"});
        set_int(node, "interleaved", interleaved ? 1 : 0);
        set_int(node, "rotary_embedding_dim", n);
        return numbers(maker.run({{"x", tensor({B, H, S, D}, x)}}));
      };
      const auto token = [](std::int64_t line) { return line / (H * S) * S + line % S; };
      const auto position = [&](std::int64_t line) { return positions[static_cast<std::size_t>(token(line))]; };
      EXPECT_THAT(ask(true, {B * S, half}),
                  Pointwise(DoubleNear(1e-5), rotated(x, D, 2 * half, interleaved, cos, sin, position)));
      EXPECT_THAT(ask(false, {B, S, half}),
                  Pointwise(DoubleNear(1e-5), rotated(x, D, 2 * half, interleaved, cos, sin, token)));
    }
}

TEST(OnnxRotaryEmbedding, OfPackedHeadsByBothDomains) {
  constexpr std::int64_t B = 2, S = 3, H = 2, D = 4, P = 9;
  const auto x = wave(B * S * H * D, 0.2), cos = wave(P * D / 2, 0.5), sin = wave(P * D / 2, 1.1);
  const auto ask = [&](bool of_microsoft, const ir::Tensor& positions, std::int64_t heads) {
    ModelMaker maker(23);
    maker.domain("com.microsoft", 1).input("x", {B, S, H * D}).output("y");
    maker.initializer("cos", tensor({P, D / 2}, cos)).initializer("sin", tensor({P, D / 2}, sin));
    maker.initializer("positions", positions);
    const std::vector<std::string> theirs = {"x", "positions", "cos", "sin"}, ours = {"x", "cos", "sin", "positions"};
    auto& node = maker.node("RotaryEmbedding", of_microsoft ? theirs : ours, {"y"});
    if (of_microsoft) node.set_domain("com.microsoft");
    if (heads > 0) set_int(node, "num_heads", heads);
    return numbers(maker.run({{"x", tensor({B, S, H * D}, x)}}));
  };
  const std::vector<std::int64_t> rows = {8, 0, 4, 2, 2, 7};
  const ir::Tensor each = ir::Tensor::of<std::int64_t>({B, S}, rows), first = ir::Tensor::of<std::int64_t>({1}, {5});
  const auto by_token =
      rotated(x, D, D, false, cos, sin, [&](auto line) { return rows[static_cast<std::size_t>(line / H)]; });
  const auto in_a_row = rotated(x, D, D, false, cos, sin, [](std::int64_t line) { return 5 + line / H % S; });
  EXPECT_THAT(ask(false, each, H), Pointwise(DoubleNear(1e-5), by_token));
  EXPECT_THAT(ask(true, each, H), Pointwise(DoubleNear(1e-5), by_token));
  EXPECT_THAT(ask(true, each, 0), Pointwise(DoubleNear(1e-5), by_token));  // the tables say how wide a head is
  EXPECT_THAT(ask(true, first, H), Pointwise(DoubleNear(1e-5), in_a_row));
}

}  // namespace
}  // namespace plumb::tests::attention_test
