// Another implementation here is the CPU executor in the graph's own dtypes: it rounds every operation to f32 in orders
// of its own, as any other library does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "ir/ops/window.hpp"
#include "ir/passes/widen.hpp"
#include "parity/checks/expected/judge.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/verify/verify.hpp"
#include "tests/parity/checks/expected/small_graph.hpp"
#include "tests/support/paths.hpp"

namespace plumb::expected_test {
namespace {

using ir::DType;
using parity::cases::ExpectedResult;
using parity::core::Verdict;

parity::cases::Case fixture(const std::string& name) {
  return parity::verify::load_case(tests::source_dir() / "fixtures" / "graphs" / (name + ".json"), {});
}

/// The case with tensors that another implementation gave.
parity::cases::Case with(parity::cases::Case subject, std::map<std::string, ir::Tensor, std::less<>> given) {
  subject.expectation =
      std::make_shared<const parity::cases::Expectation>(parity::cases::Expectation{std::move(given)});
  return subject;
}

/// The executor's results of a graph, given for those of another with the same names.
std::map<std::string, ir::Tensor, std::less<>> results_of(const ir::Graph& graph, const ir::Feeds& feeds) {
  std::map<std::string, ir::Tensor, std::less<>> given;
  const auto results = cpu().run(graph, feeds, graph.results());
  for (const ir::Value v : graph.results()) given.emplace(graph.name(v), results.at(v));
  return given;
}

ir::Feeds widened(const ir::Feeds& feeds) {
  ir::Feeds wide;
  for (const auto& [name, tensor] : feeds) wide.emplace(name, ir::passes::widen(tensor));
  return wide;
}

/// The graph with another op in place of every node for which `replace` has one.
ir::Graph replaced(const ir::Graph& graph, const std::function<std::optional<ir::Op>(const ir::Node&)>& replace) {
  ir::Graph other;
  for (ir::Value v = 0; graph.is_source(v); ++v)
    v < graph.inputs().size() ? other.input(graph.name(v), graph.type(v)) : other.param(graph.name(v), graph.type(v));
  for (const ir::Node& node : graph.nodes()) other.add_all(node.label, replace(node).value_or(node.op), node.inputs);
  for (const ir::Value v : graph.results()) other.returns(v);
  return other;
}

/// The result that is furthest off.
ExpectedResult worst(const std::vector<ExpectedResult>& results) {
  EXPECT_FALSE(results.empty());
  return *std::ranges::max_element(results, {}, [](const ExpectedResult& one) { return one.comparison.ratio(); });
}

TEST(Expected, CleanNetworksPass) {
  for (const char* name : {"bert_tiny", "eeg_encoder", "log_mel_front_end", "short_time_round_trip"}) {
    const parity::cases::Case subject = fixture(name);
    const ir::Graph& graph = subject.file->graph;
    const auto f32 = with(subject, results_of(graph, subject.feeds));
    for (const ExpectedResult& one : parity::checks::expected::judge(f32, cpu(), {})) {
      EXPECT_EQ(one.verdict, Verdict::passed) << name << ": " << one.why;
      EXPECT_LT(one.comparison.ratio(), 0.6) << name;
      EXPECT_EQ(one.precision, "f32");
    }
    const auto f64 = with(subject, results_of(ir::passes::widen(graph), widened(subject.feeds)));
    for (const ExpectedResult& one : parity::checks::expected::judge(f64, cpu(), {})) {
      EXPECT_EQ(one.verdict, Verdict::passed) << name << ": " << one.why;
      EXPECT_EQ(one.precision, "f64");
    }
  }
}

/// Judged as verify does: with limits of ops whose outputs are judged together as well.
std::vector<ExpectedResult> judged(const parity::cases::Case& subject) {
  return parity::checks::expected::judge(subject, cpu(), {},
                                         [](ir::Executor& reference, const parity::core::Segment& segment,
                                            const ir::Feeds& fed, const parity::bounds::Manner& manner) {
                                           return parity::judges::evaluate_elements(reference, segment, fed, manner,
                                                                                    nullptr);
                                         });
}

TEST(Expected, RecurrencesAndScansAreJudgedThroughAllTheirSteps) {
  for (const char* name : {"lstm_tagger", "mamba_block", "gated_delta_block"}) {
    const parity::cases::Case subject = fixture(name);
    auto given = results_of(subject.file->graph, subject.feeds);
    for (const ExpectedResult& one : judged(with(subject, given))) {
      EXPECT_EQ(one.verdict, Verdict::passed) << name << ": " << one.why;
      EXPECT_LT(one.comparison.ratio(), 0.6) << name;
    }
    for (auto& [label, tensor] : given)
      if (tensor.dtype() == DType::f32)
        for (float& x : tensor.as<float>()) x *= 1.001f;
    EXPECT_EQ(worst(judged(with(subject, given))).verdict, Verdict::failed) << name;
  }
}

// Window attention makes its mask of differences: a 0 there is 0, whoever computes it.
TEST(Expected, WhatIsExactIsNotMoved) {
  parity::cases::Case subject;
  auto file = std::make_shared<ir::formats::GraphFile>();
  ir::Graph& graph = file->graph;
  const ir::Value region = graph.input("region", {DType::f32, {1, 6}}), y = graph.input("y", {DType::f32, {6, 6}}),
                  column = graph.input("column", {DType::f32, {6, 1}});
  const auto constant = [&](const char* label, float x) {
    const auto bytes = std::as_bytes(std::span(&x, 1));
    return graph.add(label, ir::ops::Constant{DType::f32, {}, {bytes.begin(), bytes.end()}}, {});
  };
  const ir::Value zero = constant("zero", 0), masked = constant("masked", -100), half = constant("half", 0.5f);
  using ir::ops::Binary, ir::ops::BinaryFunction;
  const ir::Value apart = graph.add("apart", Binary{BinaryFunction::subtract}, {region, column});
  const ir::Value differs = graph.add("differs", ir::ops::Compare{ir::ops::Comparison::not_equal}, {apart, zero});
  const ir::Value mask = graph.add("mask", ir::ops::Where{}, {differs, masked, zero});
  const ir::Value tiles = graph.add("tiles", Binary{BinaryFunction::multiply}, {region, half});
  const ir::Value tile = graph.add("tile", ir::ops::Unary{ir::ops::UnaryFunction::floor}, {tiles});
  const ir::Value scores = graph.add("scores", Binary{BinaryFunction::add}, {y, mask});
  graph.returns(graph.add("sum", Binary{BinaryFunction::add}, {scores, tile}));
  subject.file = file;
  ir::Tensor regions({DType::f32, {1, 6}}), columns({DType::f32, {6, 1}}), numbers({DType::f32, {6, 6}});
  std::ranges::copy(std::vector<float>{0, 0, 3, 3, 6, 6}, regions.as<float>().begin());
  std::ranges::copy(regions.as<float>(), columns.as<float>().begin());
  for (int i = 0; i < 36; ++i) numbers.as<float>()[static_cast<std::size_t>(i)] = 0.1f * static_cast<float>(i - 9);
  subject.feeds = {{"region", regions}, {"column", columns}, {"y", numbers}};
  const ExpectedResult result = worst(judged(with(subject, results_of(graph, subject.feeds))));
  EXPECT_EQ(result.verdict, Verdict::passed) << result.why;
}

/// b + x y of [16, 9] by [9, 16] in f64, of which many sums cancel.
parity::cases::Case products_in_f64() {
  parity::cases::Case subject;
  auto file = std::make_shared<ir::formats::GraphFile>();
  ir::Graph& graph = file->graph;
  const ir::Value x = graph.input("x", {DType::f64, {16, 9}}), y = graph.input("y", {DType::f64, {9, 16}}),
                  b = graph.input("b", {DType::f64, {16, 16}});
  const ir::Value product = graph.add("product", ir::ops::Matmul{}, {x, y});
  graph.returns(graph.add("sum", ir::ops::Binary{ir::ops::BinaryFunction::add}, {product, b}));
  subject.file = file;
  for (const ir::Value v : {x, y, b}) {
    ir::Tensor tensor(graph.type(v));
    const auto numbers = tensor.as<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(7 * i + v) + 0.1);
    subject.feeds.emplace(graph.name(v), std::move(tensor));
  }
  return subject;
}

// NumPy adds products one after the other, and does not correct what a sum rounds.
TEST(Expected, PlainSumsInF64Pass) {
  const parity::cases::Case subject = products_in_f64();
  ir::Tensor z(subject.feeds.at("b"));
  const auto x = subject.feeds.at("x").as<double>(), y = subject.feeds.at("y").as<double>();
  for (std::size_t i = 0; i < 256; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 9; ++k) sum += x[i / 16 * 9 + k] * y[k * 16 + i % 16];
    z.as<double>()[i] += sum;
  }
  const auto judged_as = [&](const ir::Tensor& given, const std::string& precision) {
    return worst(parity::checks::expected::judge(with(subject, {{"sum", given}}), cpu(), {.precision = precision}));
  };
  const ExpectedResult plain = judged_as(z, "f64");
  EXPECT_EQ(plain.verdict, Verdict::passed) << plain.why;
  EXPECT_GT(plain.comparison.ratio(), 0.01);
  ir::Tensor off = z;
  off.as<double>()[77] += 1e-13;
  EXPECT_EQ(judged_as(off, "f64").verdict, Verdict::failed);
  for (double& number : z.as<double>()) number = static_cast<double>(static_cast<float>(number));
  EXPECT_EQ(judged_as(z, "f64").verdict, Verdict::failed);
  const ExpectedResult in_f32 = judged_as(z, "f32");
  EXPECT_EQ(in_f32.verdict, Verdict::passed) << in_f32.why;
  EXPECT_GT(in_f32.comparison.ratio(), 0.01);
}

TEST(Expected, ResultsInF32AreNotThoseOfF64) {
  const parity::cases::Case subject = fixture("bert_tiny");
  const auto given = with(subject, results_of(subject.file->graph, subject.feeds));
  const ExpectedResult result = worst(parity::checks::expected::judge(given, cpu(), {.precision = "f64"}));
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_GT(result.comparison.ratio(), 1e4);
}

TEST(Expected, ATanhGeluIsSeen) {
  const parity::cases::Case subject = fixture("bert_tiny");
  std::size_t gelus = 0;
  const ir::Graph other = replaced(subject.file->graph, [&](const ir::Node& node) -> std::optional<ir::Op> {
    if (!node.op.is<ir::ops::Unary>()) return std::nullopt;
    ir::ops::Unary op = node.op.as<ir::ops::Unary>();
    if (op.function != ir::ops::UnaryFunction::gelu) return std::nullopt;
    ++gelus;
    op.function = ir::ops::UnaryFunction::gelu_tanh;
    return ir::Op(op);
  });
  ASSERT_GT(gelus, 0u);
  const ExpectedResult result =
      worst(parity::checks::expected::judge(with(subject, results_of(other, subject.feeds)), cpu(), {}));
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_GT(result.comparison.ratio(), 3);
}

TEST(Expected, AnotherWindowBeforeATransformIsSeen) {
  const parity::cases::Case subject = fixture("log_mel_front_end");
  const ir::Graph other = replaced(subject.file->graph, [](const ir::Node& node) -> std::optional<ir::Op> {
    if (!node.op.is<ir::ops::Window>()) return std::nullopt;
    ir::ops::Window op = node.op.as<ir::ops::Window>();
    op.periodic = false;
    return ir::Op(op);
  });
  const ExpectedResult result =
      worst(parity::checks::expected::judge(with(subject, results_of(other, subject.feeds)), cpu(), {}));
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_GT(result.comparison.ratio(), 3);
}

TEST(Expected, OneWeightIsSeen) {
  const parity::cases::Case subject = fixture("bert_tiny");
  const ir::Graph& graph = subject.file->graph;
  ir::Feeds feeds = subject.feeds;
  ir::Tensor& weights = feeds.at("layer0/attn/v.weight");
  float largest = 0;
  for (const float w : weights.as<float>()) largest = std::max(largest, std::abs(w));
  for (float& w : weights.as<float>())
    if (std::abs(w) == largest) w *= 1.05f;
  const ExpectedResult result =
      worst(parity::checks::expected::judge(with(subject, results_of(graph, feeds)), cpu(), {}));
  EXPECT_EQ(result.verdict, Verdict::failed) << result.comparison.ratio();
}

/// Two products of the same rows whose largest element is decided by roundings, and one that is not.
parity::cases::Case choices() {
  parity::cases::Case subject{.name = "choices"};
  ir::formats::GraphFile file;
  const ir::Value x = file.graph.input("x", {DType::f32, {2, 64}}), w = file.graph.param("w", {DType::f32, {64, 2}});
  const ir::Value y = file.graph.add("y", ir::ops::Matmul{}, {x, w});
  const ir::Value i = file.graph.add("i", ir::ops::ArgReduce{.axis = 1}, {y});
  file.graph.returns(i);
  ir::Tensor rows({DType::f32, {2, 64}}), columns({DType::f32, {64, 2}});
  for (std::size_t k = 0; k < 64; ++k) {
    rows.as<float>()[k] = 1.0f / static_cast<float>(k + 1);
    rows.as<float>()[64 + k] = k == 0 ? 1.0f : 0.0f;
    // Both columns hold the same numbers, in another order, but for the row that sees the first alone.
    columns.as<float>()[2 * k] = columns.as<float>()[2 * k + 1] = k == 0 ? 1.0f : 1.0f / static_cast<float>(k + 3);
  }
  columns.as<float>()[1] = 1.0f + 0x1p-23f;
  rows.as<float>()[64] = 1e3f;
  columns.as<float>()[0] = 1.0f;
  subject.feeds = {{"x", rows}, {"w", columns}};
  subject.file = std::make_shared<const ir::formats::GraphFile>(std::move(file));
  return subject;
}

TEST(Expected, IntegerResultsAreFlagged) {
  const parity::cases::Case subject = choices();
  const auto index = [](std::int64_t first, std::int64_t second) {
    return std::map<std::string, ir::Tensor, std::less<>>{{"i", ir::Tensor::of<std::int64_t>({2, 1}, {first, second})}};
  };
  for (const std::int64_t either : {0, 1}) {
    const auto result = worst(parity::checks::expected::judge(with(subject, index(either, 1)), cpu(), {}));
    EXPECT_GE(result.n_flagged, 1u) << "the last place of a sum decides";
    EXPECT_NE(result.verdict, Verdict::failed) << result.why;
  }
}

TEST(Expected, ClearIntegersHaveToBeRight) {
  parity::cases::Case subject = choices();
  subject.feeds.at("w").as<float>()[1] = 2.0f;
  const auto given = [](std::int64_t second) {
    return std::map<std::string, ir::Tensor, std::less<>>{{"i", ir::Tensor::of<std::int64_t>({2, 1}, {1, second})}};
  };
  EXPECT_EQ(worst(parity::checks::expected::judge(with(subject, given(1)), cpu(), {})).verdict, Verdict::passed);
  EXPECT_EQ(worst(parity::checks::expected::judge(with(subject, given(0)), cpu(), {})).verdict, Verdict::failed);
}

TEST(Expected, ACoarserPrecisionAllowsMore) {
  const parity::cases::Case subject = fixture("bert_tiny");
  const auto given = with(subject, results_of(subject.file->graph, subject.feeds));
  double before = std::numeric_limits<double>::infinity();
  for (const char* precision : {"f32", "tf32", "bf16"}) {
    const auto result = worst(parity::checks::expected::judge(given, cpu(), {.precision = precision}));
    EXPECT_LT(result.comparison.ratio(), before) << precision;
    before = result.comparison.ratio();
    RecordProperty(precision, std::to_string(before));
  }
}

TEST(Expected, ACaseFailsByItAlone) {
  const parity::cases::Case subject = fixture("bert_tiny");
  auto given = results_of(subject.file->graph, subject.feeds);
  given.begin()->second.as<float>()[3] += 0.01f;
  parity::cases::Observer nobody;
  const parity::cases::Executors host{.reference = cpu(), .candidate = &cpu(), .candidate_is_host = true};
  const auto result =
      parity::verify::verify(with(subject, given), host, {.expected = parity::checks::expected::Options{}}, nobody);
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(worst(result.expected).comparison.n_bad, 1u);
  for (const auto& node : result.nodes) EXPECT_NE(node.verdict, Verdict::failed) << node.label;
}

}  // namespace
}  // namespace plumb::expected_test
