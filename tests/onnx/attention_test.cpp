// Attention as ONNX has it, and GroupQueryAttention of com.microsoft, against loops that say what their texts say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

/// A question to Attention: extents, and what is added to a score or hides it.
struct Case {
  std::int64_t B = 2, Hq = 2, Hk = 2, Sq = 3, Sk = 4, D = 4, Dv = 3, past = 0;
  double scale = 0, softcap = 0;  ///< 0: usual, none
  bool causal = false;
  std::int64_t left = -1, right = -1;
  std::vector<std::int64_t> lengths = {};
  std::function<double(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j)> bias = {};
  std::vector<double> sinks = {};  ///< by head

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
        const double sink = c.sinks.empty() ? -infinity : c.sinks[static_cast<std::size_t>(h)];
        largest = std::max(largest, sink);
        double sum = sink == -infinity ? 0 : std::exp(sink - largest);
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

/// Numbers [B, H, S, D] as rows of all heads, [B, S, H·D].
ir::Tensor rows_of_heads(const std::vector<double>& x, const ir::Shape& n) {
  std::vector<double> rows;
  for (std::int64_t b = 0; b < n[0]; ++b)
    for (std::int64_t s = 0; s < n[2]; ++s)
      for (std::int64_t h = 0; h < n[1]; ++h)
        for (std::int64_t d = 0; d < n[3]; ++d)
          rows.push_back(x[static_cast<std::size_t>(((b * n[1] + h) * n[2] + s) * n[3] + d)]);
  return tensor({n[0], n[2], n[1] * n[3]}, rows);
}

::onnx::NodeProto& ask_grouped(ModelMaker& maker, const Case& c, const std::vector<std::string>& inputs) {
  maker.domain("com.microsoft", 1).output("y");
  auto& node = maker.node("GroupQueryAttention", inputs, {"y"});
  node.set_domain("com.microsoft");
  set_int(node, "num_heads", c.Hq);
  set_int(node, "kv_num_heads", c.Hk);
  return node;
}

TEST(OnnxGroupQueryAttention, OfAPromptWithSinksAndAWindow) {
  const Case c{.Hq = 4, .Sq = 5, .Sk = 5, .Dv = 4, .softcap = 1.5, .causal = true, .left = 1, .sinks = {1, -2, 0.5, 3}};
  const ir::Feeds feeds = {{"q", rows_of_heads(c.q(), {c.B, c.Hq, c.Sq, c.D})},
                           {"k", rows_of_heads(c.k(), {c.B, c.Hk, c.Sk, c.D})},
                           {"v", rows_of_heads(c.v(), {c.B, c.Hk, c.Sk, c.D})}};
  ModelMaker maker = model_of(feeds, 23);
  maker.initializer("last", ir::Tensor::of<std::int32_t>({c.B}, {4, 4}));
  maker.initializer("total", ir::Tensor::of<std::int32_t>({1}, {5})).initializer("sinks", tensor({c.Hq}, c.sinks));
  auto& node = ask_grouped(maker, c, {"q", "k", "v", "", "", "last", "total", "", "", "", "", "sinks"});
  set_int(node, "local_window_size", c.left + 1);
  set_real(node, "softcap", static_cast<float>(c.softcap));
  const auto right = numbers(rows_of_heads(answer(c).y, {c.B, c.Hq, c.Sq, c.Dv}));
  EXPECT_THAT(numbers(maker.run(feeds)), Pointwise(DoubleNear(1e-5), right));
}

/// One step of two sequences, whose keys are written behind the four and the two that caches of so many rows hold.
void expect_step(std::int64_t room) {
  const Case c{.Hq = 4,
               .Sq = 1,
               .Sk = std::max<std::int64_t>(room, 5),
               .Dv = 4,
               .causal = true,
               .lengths = {5, 3},
               .sinks = {0, 0, 0, 0}};
  const auto step_of = [&](std::vector<double> all, std::vector<double>& cache) {
    std::vector<double> step;
    for (std::int64_t row = 0; row < c.B * c.Hk; ++row)
      for (std::int64_t d = 0; d < c.D; ++d) {
        double& at =
            all[static_cast<std::size_t>((row * c.Sk + c.lengths[static_cast<std::size_t>(row / c.Hk)] - 1) * c.D + d)];
        step.push_back(at);
        at = 77;  // the step writes over it
      }
    cache.clear();
    for (std::int64_t row = 0; row < c.B * c.Hk; ++row)
      cache.insert(cache.end(), all.begin() + row * c.Sk * c.D, all.begin() + (row * c.Sk + room) * c.D);
    return step;
  };
  std::vector<double> keys, values;
  const auto k = step_of(c.k(), keys), v = step_of(c.v(), values);
  std::vector<double> packed;  // heads of q, k and v behind one another
  for (std::int64_t b = 0; b < c.B; ++b)
    for (const auto& [x, heads] : {std::pair(c.q(), c.Hq), {k, c.Hk}, {v, c.Hk}})
      packed.insert(packed.end(), x.begin() + b * heads * c.D, x.begin() + (b + 1) * heads * c.D);
  const ir::Feeds feeds = {{"packed", tensor({c.B, 1, (c.Hq + 2 * c.Hk) * c.D}, packed)},
                           {"keys", tensor({c.B, c.Hk, room, c.D}, keys)},
                           {"values", tensor({c.B, c.Hk, room, c.D}, values)}};
  ModelMaker maker = model_of(feeds, 23);
  maker.initializer("last", ir::Tensor::of<std::int32_t>({c.B}, {4, 2}));
  maker.initializer("total", ir::Tensor::of<std::int32_t>({1}, {5}));
  set_int(ask_grouped(maker, c, {"packed", "", "", "keys", "values", "last", "total"}), "smooth_softmax", 1);
  EXPECT_THAT(numbers(maker.run(feeds)), Pointwise(DoubleNear(1e-5), answer(c).y));  // one query: its heads are rows
}

TEST(OnnxGroupQueryAttention, OfAStepWithASmoothSoftmax) { expect_step(7); }

/// The second sequence has fewer keys than its cache has rows, and its new one does not come behind all of them.
TEST(OnnxGroupQueryAttention, OfAStepWhoseResultIsLongerThanTheCache) { expect_step(4); }

TEST(OnnxGroupQueryAttention, RefusesABatchThatMayBeAPromptOrNot) {
  const auto message = [](const Case& c, bool knows_total) {
    const ir::Tensor cache =
        tensor({c.B, c.Hk, 5, c.D}, std::vector<double>(static_cast<std::size_t>(c.B * c.Hk * 5 * c.D)));
    ir::Feeds feeds = {
        {"q", rows_of_heads(c.q(), {c.B, c.Hq, c.Sq, c.D})},
        {"k", rows_of_heads(c.k(), {c.B, c.Hk, c.Sk, c.D})},
        {"v", rows_of_heads(c.v(), {c.B, c.Hk, c.Sk, c.D})},
        {"keys", cache},
        {"values", cache},
        {"last", ir::Tensor::of<std::int32_t>({c.B}, std::vector<std::int32_t>(static_cast<std::size_t>(c.B), 1))}};
    const ir::Tensor total = ir::Tensor::of<std::int32_t>({1}, {2});
    if (!knows_total) feeds.emplace("total", total);
    ModelMaker maker = model_of(feeds, 23);
    if (knows_total) maker.initializer("total", total);
    ask_grouped(maker, c, {"q", "k", "v", "keys", "values", "last", "total"});
    return message_of([&] { maker.read(); });
  };
  const Case two{.Sq = 2, .Sk = 2, .Dv = 4}, one{.B = 1, .Sq = 2, .Sk = 2, .Dv = 4}, step{.Sq = 1, .Sk = 1, .Dv = 4};
  EXPECT_THAT(message(two, false), HasSubstr("total_sequence_length is not known"));
  EXPECT_EQ(message(two, true), "");
  EXPECT_EQ(message(one, false), "");
  EXPECT_EQ(message(step, false), "");
}

}  // namespace
}  // namespace plumb::tests::attention_test
