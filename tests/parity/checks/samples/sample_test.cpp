#include <gtest/gtest.h>

#include <cmath>

#include "ir/fill.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/checks/samples/replay_check.hpp"
#include "parity/checks/samples/sensitivity.hpp"
#include "parity/checks/samples/slice.hpp"
#include "parity/checks/samples/statistics.hpp"
#include "parity/core/float_format.hpp"
#include "parity/settle/summing.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::sample_test {
namespace {

using testing::make_case;
using testing::node;
using testing::Suspect;
using testing::verify_on;

/// The result of the only node of a graph on one input of this type and fill.
cases::NodeResult judged(const std::string& type, const std::string& fill, const std::string& op, Suspect by = {}) {
  return verify_on(by, make_case(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": ")" + type + R"(", "fill": )" +
                                 fill + R"(}}, "nodes": [{"label": "y", "inputs": ["x"], )" + op +
                                 R"(}], "results": ["y"]})"))
      .nodes.at(0);
}

const std::string normal = R"({"distribution": "normal"})";

TEST(Mistrust, SaturatedScoresProveNothing) {
  const std::string far = R"({"distribution": "normal", "scale": 10000})";
  const auto saturated = judged("f32[64, 64]", far, R"("op": "softmax")");
  EXPECT_EQ(saturated.verdict, core::Verdict::mistrusted);
  EXPECT_LT(saturated.sensitivity.share, 0.25);
  const auto usual = judged("f32[64, 64]", normal, R"("op": "softmax")");
  EXPECT_EQ(usual.verdict, core::Verdict::passed) << usual.why;
  EXPECT_GT(usual.sensitivity.share, 0.9);
}

/// A device whose results are these of the right ones.
template <class Made>
Suspect that_makes(const Made& made) {
  return testing::spoiler("y", [=](ir::Tensor& y) {
    ir::Tensor wide = ir::convert(y, ir::DType::f64);
    for (double& one : wide.as<double>()) one = made(one);
    y = ir::convert(wide, y.dtype());
  });
}

/// Half of the bits change nothing of them. A term of 64 that is missing does, and is refused.
TEST(Mistrust, EqualScoresAreTrustedWhereATermWouldBeMissed) {
  const std::string nearly_equal = R"({"distribution": "normal", "scale": 1e-6})";
  const std::string softmax = R"("op": "softmax")", axis_0 = R"("op": "softmax", "axis": 0)",
                    log_softmax = R"("op": "log_softmax")",
                    log_sum_exp = R"("op": "reduce", "function": "log_sum_exp", "axes": [1])";
  for (const std::string& op : {softmax, axis_0, log_softmax, log_sum_exp}) {
    const auto right = judged("f32[64, 64]", nearly_equal, op);
    EXPECT_EQ(right.verdict, core::Verdict::passed) << op << ": " << right.why;
    const double sign = op == log_softmax ? 1 : -1;
    const bool is_log = op == log_softmax || op == log_sum_exp;
    const auto lacking =
        judged("f32[64, 64]", nearly_equal, op,
               that_makes([=](double y) { return is_log ? y - sign * std::log1p(-1.0 / 64) : y * 64 / 63; }));
    EXPECT_EQ(lacking.verdict, core::Verdict::failed) << op;
  }
}

/// One term of 16384 is less than a result of f16 is rounded by.
TEST(Mistrust, EqualScoresProveNothingWhereNoTermWouldBeMissed) {
  const std::string nearly_equal = R"({"distribution": "normal", "scale": 1e-3})";
  const auto many = judged("f16[4, 16384]", nearly_equal, R"("op": "softmax")");
  EXPECT_EQ(many.verdict, core::Verdict::mistrusted);
  EXPECT_LT(many.sensitivity.share, 0.1);
  EXPECT_EQ(judged("f16[4, 64]", nearly_equal, R"("op": "softmax")").verdict, core::Verdict::passed);
}

TEST(Mistrust, LogarithmsOfEqualSumsAreTrustedWhereATermWouldBeMissed) {
  const std::string equal = R"({"distribution": "constant", "value": 1.0009765625})",
                    log_sum = R"("op": "reduce", "function": "log_sum", "axes": [1])";
  const auto right = judged("f16[16, 64]", equal, log_sum);
  EXPECT_EQ(right.verdict, core::Verdict::passed) << right.why;
  const auto lacking =
      judged("f16[16, 64]", equal, log_sum, that_makes([](double y) { return y + std::log1p(-1.0 / 64); }));
  EXPECT_EQ(lacking.verdict, core::Verdict::failed);
}

TEST(Mistrust, ReluNetworksAreTrusted) {
  Suspect honest;
  const auto result = verify_on(honest, make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[64, 96]"},
               "b": {"type": "f32[80]", "fill": {"distribution": "constant", "value": -16}}},
    "params": {"w": {"type": "f32[96, 80]"}, "v": {"type": "f32[80, 24]"}},
    "nodes": [{"label": "product", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "shifted", "op": "binary", "function": "add", "inputs": ["product", "b"]},
              {"label": "y", "op": "unary", "function": "relu", "inputs": ["shifted"]},
              {"label": "z", "op": "matmul", "inputs": ["y", "v"]}],
    "results": ["z"]})"));
  for (const cases::NodeResult& one : result.nodes) EXPECT_EQ(one.verdict, core::Verdict::passed) << one.why;
  const auto& product = node(result, "product");
  EXPECT_GT(product.sensitivity.share, 0.9);
}

TEST(Mistrust, NumbersOfFewBitsAreNotAsked) {
  const auto whole = judged("f32[64, 64]", R"({"distribution": "uniform_int", "low": 1, "high": 5})",
                            R"("op": "unary", "function": "sqrt")");
  EXPECT_EQ(whole.verdict, core::Verdict::passed) << whole.why;
  EXPECT_EQ(whole.sensitivity.sampled, 0u);
}

TEST(Mistrust, OfMovedNumbersItIsAFigure) {
  const auto same = judged("f32[64, 64]", R"({"distribution": "constant", "value": 1})",
                           R"("op": "transpose", "permutation": [1, 0])");
  EXPECT_EQ(same.verdict, core::Verdict::passed) << same.why;
  EXPECT_EQ(same.sensitivity.share, 0);
}

TEST(Sensitivity, HalfOfTheBitsAreRoundedToNearest) {
  EXPECT_EQ(core::with_bits(1 + 0x1p-11, 12), 1 + 0x1p-11);
  EXPECT_EQ(core::with_bits(1 + 0x1p-12 + 0x1p-20, 12), 1 + 0x1p-11);
  EXPECT_EQ(core::with_bits(-3 * 0x1p-140, 1), -0x1p-138);
  EXPECT_EQ(core::with_bits(0, 12), 0);
}

/// A product of normal or other numbers, and all that looking at it needs.
struct Product {
  ref_cpu::CpuExecutor reference;
  ir::Graph graph;
  std::vector<ir::Tensor> operands;
  std::vector<ir::TensorView> views;
  core::Segment segment;
  bounds::Manner manner;
  bounds::Bounded bounded;
  std::vector<ir::Sum> sums{{.unit = ir::SumUnit::fma, .levels = {{}}}};

  Product(ir::DType dtype, std::int64_t m, std::int64_t k, std::int64_t n, const ir::Fill& fill) {
    const ir::TensorType of_a{dtype, {m, k}}, of_b{dtype, {k, n}};
    operands = {ir::fill(of_a, fill, 7, 1), ir::fill(of_b, fill, 7, 2)};
    build(of_a, of_b);
  }
  Product(const ir::Tensor& a, const ir::Tensor& b) : operands{a, b} { build(a.type(), b.type()); }

  settle::Subject subject() { return {reference, segment, views, sums, manner}; }
  std::optional<checks::samples::RoundingSample> sample() {
    return checks::samples::RoundingSample::of(subject(), 0, bounded.truth.outputs[0], {1, "y"});
  }
  /// The result whose sums are chains of fma, each of which `round` rounds to f32.
  template <class Round>
  ir::Tensor result(const Round& round) {
    const std::int64_t m = operands[0].shape()[0], k = operands[0].shape()[1], n = operands[1].shape()[1];
    const ir::Tensor wide_a = ir::convert(operands[0], ir::DType::f64),
                     wide_b = ir::convert(operands[1], ir::DType::f64);
    const auto a = wide_a.as<double>(), b = wide_b.as<double>();
    ir::Tensor y({ir::DType::f64, {m, n}});
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i)
          sum = round(
              std::fma(a[static_cast<std::size_t>(row * k + i)], b[static_cast<std::size_t>(i * n + column)], sum));
        y.as<double>()[static_cast<std::size_t>(row * n + column)] = sum;
      }
    return ir::convert(y, operands[0].dtype());
  }

 private:
  void build(const ir::TensorType& of_a, const ir::TensorType& of_b) {
    const ir::Value a = graph.input("a", of_a), b = graph.input("b", of_b);
    graph.returns(graph.add("y", ir::ops::Matmul{}, {a, b}));
    views = {operands[0], operands[1]};
    segment = core::segment_of(graph, 0);
    manner.arithmetic.sum = sums[0];
    bounded = bounds::evaluate_bounded(
        reference, segment, [&](ir::Value v) { return ir::convert(operands[v], ir::DType::f64); }, manner);
  }
};

const ir::Fill of_normal{.distribution = ir::Distribution::normal};
const ir::Fill of_uniform{.distribution = ir::Distribution::uniform};

double to_nearest(double x) { return static_cast<double>(static_cast<float>(x)); }
double cut_off(double x) {
  const auto near = static_cast<float>(x);
  return std::abs(static_cast<double>(near)) <= std::abs(x) ? near : std::nextafter(near, 0.0f);
}
double of_22_bits(double x) { return core::with_bits(x, 22); }

TEST(Samples, ShareTheWalkOfASum) {
  Product product(ir::DType::f32, 4, 8, 4, of_normal);
  const settle::Subject subject = product.subject();
  const auto first = settle::find_bare_sum(subject, 0);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(settle::find_bare_sum(subject, 0), first);
  EXPECT_EQ(first->at(5).terms.size(), 8u);
}

TEST(Replays, AnAccountIsConfirmedOrRefuted) {
  for (const ir::DType dtype : {ir::DType::f32, ir::DType::bf16}) {
    Product product(dtype, 40, 300, 40, of_normal);
    const ir::Tensor got = product.result(to_nearest);
    const auto replays = [&](const ir::Tensor& y) {
      return checks::samples::replay_sample(product.subject(), 0, product.bounded.truth.outputs[0], y, {1, "y"});
    };
    EXPECT_EQ(replays(got).asked, 25u);
    EXPECT_FALSE(replays(got).refutes());
    product.sums[0].levels = {{.count = 64}, {}};
    EXPECT_TRUE(dtype != ir::DType::f32 || replays(got).refutes());
    product.sums[0].levels = {{}};
    ir::Tensor other = got;
    const auto bytes = other.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += ir::info(dtype).bytes) bytes[at] ^= std::byte{1};
    EXPECT_EQ(replays(other).equal, 0u);
  }
}

TEST(Replays, NobodyIsAskedWithoutAnAccount) {
  Product product(ir::DType::f32, 40, 30, 40, of_normal);
  const ir::Tensor got = product.result(to_nearest);
  product.sums.clear();
  EXPECT_EQ(checks::samples::replay_sample(product.subject(), 0, product.bounded.truth.outputs[0], got, {1, "y"}).asked,
            0u);
  product.sums = {{.unit = ir::SumUnit::matrix, .levels = {{}}}};
  EXPECT_EQ(checks::samples::replay_sample(product.subject(), 0, product.bounded.truth.outputs[0], got, {1, "y"}).asked,
            0u);
}

TEST(Statistics, CleanKernelsPass) {
  for (const ir::Fill& fill : {of_normal, of_uniform})
    for (const ir::DType dtype : {ir::DType::f32, ir::DType::f16, ir::DType::bf16})
      for (const std::int64_t k : {64, 700}) {
        Product product(dtype, 20, k, 20, fill);
        const auto sample = product.sample();
        ASSERT_TRUE(sample);
        const cases::Statistics found = sample->judge(product.result(to_nearest));
        EXPECT_EQ(found.finding, "");
        EXPECT_LT(std::abs(found.bias_t), 8);
        if (dtype != ir::DType::f32) continue;
        EXPECT_GT(found.rho, 0.3) << k;
        EXPECT_LT(found.rho, 0.55) << k;
        EXPECT_NEAR(found.bits_accumulator, 24, 0.5);
      }
}

TEST(Statistics, TruncationIsSeen) {
  for (const ir::Fill& fill : {of_normal, of_uniform}) {
    Product product(ir::DType::f32, 20, 700, 20, fill);
    const cases::Statistics found = product.sample()->judge(product.result(cut_off));
    EXPECT_NE(found.finding.find("rounds off more than it says"), std::string::npos);
    EXPECT_GT(std::abs(found.bias_t), 8);
    EXPECT_LT(found.bias, -0.05);
  }
}

TEST(Statistics, ALostBitIsSeen) {
  Product product(ir::DType::f32, 20, 700, 20, of_normal);
  const cases::Statistics found = product.sample()->judge(product.result(of_22_bits));
  EXPECT_NE(found.finding, "");
  EXPECT_NEAR(found.bits_accumulator, 22, 0.5);
}

TEST(Statistics, MisroundingIsSeenIn16Bits) {
  Product product(ir::DType::f16, 20, 700, 20, of_normal);
  const auto coarse = [](double x) { return core::with_bits(x, 15); };
  const cases::Statistics found = product.sample()->judge(product.result(coarse));
  EXPECT_GT(found.misrounded, 1.5 * found.misrounded_bound);
  EXPECT_NE(found.finding.find("misrounded"), std::string::npos);
}

TEST(Statistics, RepeatedLinesAreOneDraw) {
  Product product(ir::DType::f32, 1, 300, 20, of_normal);
  ir::Tensor a({ir::DType::f32, {20, 300}});
  for (std::int64_t row = 0; row < 20; ++row)
    for (std::int64_t i = 0; i < 300; ++i)
      a.as<float>()[static_cast<std::size_t>(row * 300 + i)] =
          std::ldexp(product.operands[0].as<float>()[static_cast<std::size_t>(i)], static_cast<int>(row % 3));
  Product repeated(a, product.operands[1]);
  EXPECT_FALSE(repeated.sample());
}

TEST(Statistics, AReplayAcquits) {
  // Terms that are all lost one after the other: one direction, and the very bits of the kernel's own order.
  ir::Tensor a({ir::DType::f32, {16, 512}}), b({ir::DType::f32, {512, 16}});
  const ir::Tensor drawn = ir::fill(b.type(), of_uniform, 3, 1);
  for (std::size_t i = 0; i < a.as<float>().size(); ++i)
    a.as<float>()[i] = i % 512 == 0 ? 1 + static_cast<float>(i / 512) / 64 : 0x1p-25f;
  for (std::size_t i = 0; i < b.as<float>().size(); ++i) b.as<float>()[i] = 0.5f + 0.49f * drawn.as<float>()[i];
  Product product(a, b);
  const auto sample = product.sample();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->judge(product.result(to_nearest)).finding, "");
}

TEST(Slice, MakesTheElementsOfTheWhole) {
  Product product(ir::DType::f32, 24, 30, 40, of_normal);
  const ir::Tensor& truth = product.bounded.truth.outputs[0];
  const auto rows = checks::samples::slice_of(product.subject(), 0, 0, {3, 17}, truth, 6);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->fed[0].shape(), (ir::Shape{2, 30}));
  EXPECT_EQ(rows->fed[1].shape(), (ir::Shape{30, 40}));
  EXPECT_EQ(rows->kept[0], 3u * 40);
  const auto columns = checks::samples::slice_of(product.subject(), 0, 1, {5}, truth, 6);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->fed[1].shape(), (ir::Shape{30, 1}));
}

}  // namespace
}  // namespace plumb::parity::sample_test
