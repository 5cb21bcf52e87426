#include "parity/settle/certify/certify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/passes/widen.hpp"
#include "parity/results/results_rows.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::certify_test {
namespace {

namespace ops = ir::ops;

std::uint32_t no_names(const std::string&) { return 0; }

TEST(DoubleDouble, SumsWhatDoublesLose) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::pair<double, double>> terms;  // products that cancel in pairs
    for (int k = 0; k < 100; ++k) {
      const double a = std::ldexp(unit(random), k % 40), b = unit(random);
      terms.insert(terms.end(), {{a, b}, {-a, b}});
    }
    const double rest = std::ldexp(unit(random), -20);
    terms.emplace_back(rest, 1);
    std::shuffle(terms.begin(), terms.end(), random);
    sums::DoubleDouble sum;
    for (const auto& [a, b] : terms) sum = sum + sums::exact_product(a, b);
    EXPECT_NEAR(sum.rounded() / rest, 1, 1e-3 * 0x1p-20) << trial;  // terms are 2^60 times as large as the result
  }
  EXPECT_EQ((sums::DoubleDouble(0x1p100) + sums::DoubleDouble(1) + sums::DoubleDouble(-0x1p100)).rounded(), 1);
  EXPECT_EQ(((sums::DoubleDouble(1) + sums::DoubleDouble(0x1p-80)) * 3).low, 3 * 0x1p-80);
}

TEST(DoubleDouble, MultipliesDividesAndTakesRoots) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(1, 2);
  for (int trial = 0; trial < 1000; ++trial) {
    const sums::DoubleDouble a = sums::exact_sum(unit(random), std::ldexp(unit(random), -60)),
                             b = sums::exact_sum(unit(random), -std::ldexp(unit(random), -57));
    const auto off = [](const sums::DoubleDouble& x, const sums::DoubleDouble& y) {
      return std::abs((x - y).rounded());
    };
    EXPECT_LE(off(a * b / b, a), 0x1p-98) << trial;
    EXPECT_LE(off(sqrt(a * a), a), 0x1p-98) << trial;
    EXPECT_LE(off(a * b - a * b.high, sums::exact_product(a.high, b.low) + sums::exact_product(a.low, b.low)), 0x1p-98)
        << trial;
  }
  EXPECT_EQ(sqrt(sums::DoubleDouble()).rounded(), 0);
}

/// One op on its operands, and what is known of its truth.
struct Known {
  core::Segment segment;
  std::vector<ir::Tensor> operands;
  bounds::Bounded bounded;

  compare::Comparison certify(const ir::Tensor& got, cases::Certificate& certificate, std::size_t k = 0) {
    ref_cpu::CpuExecutor cpu;
    const std::vector<ir::TensorView> views{operands.begin(), operands.end()};
    const bounds::Manner manner;
    return settle::certify::certify({cpu, segment, views, {}, manner}, k, bounded, bounded.allowed[k], got,
                                    certificate);
  }
};

Known known(const ir::Op& op, const std::vector<ir::Tensor>& operands) {
  ref_cpu::CpuExecutor cpu;
  ir::Graph graph;
  std::vector<ir::Value> inputs;
  for (const ir::Tensor& x : operands) inputs.push_back(graph.input(ir::cat("x", inputs.size()), x.type()));
  for (const ir::Value v : graph.add_all("y", op, inputs)) graph.returns(v);
  core::Segment segment = core::segment_of(graph, 0);
  bounds::Bounded bounded =
      bounds::evaluate_bounded(cpu, segment, [&](ir::Value v) { return ir::passes::widen(operands[v]); }, {});
  return {std::move(segment), operands, std::move(bounded)};
}

cases::Certificate certificate_of(Known y, const ir::Tensor& got) {
  cases::Certificate certificate;
  y.certify(got, certificate);
  return certificate;
}

ir::Tensor noise(ir::DType dtype, ir::Shape shape, std::uint32_t stream) {
  return ir::fill({dtype, std::move(shape)}, {}, 5, stream);
}

/// `operands` must outlive it.
element::terms::Walker walker_of(const ir::Op& op, const std::vector<ir::Tensor>& operands,
                                 const bounds::Bounded& bounded) {
  std::vector<element::terms::Operand> read;
  for (const ir::Tensor& x : operands) read.push_back({x.as<double>(), x.shape()});
  return element::terms::find_walker(op, read, bounded.truth.outputs[0].shape()).value();
}

struct Sum {
  const char* name;
  ir::Op op;
  std::vector<ir::Shape> operands;
};

std::vector<Sum> sums() {
  return {{"matmul", ops::Matmul{}, {{3, 7, 9}, {9, 5}}},
          {"both transposed",
           ops::Matmul{.transpose_a = true, .transpose_b = true, .output_dtype = {}},
           {{9, 7}, {2, 5, 9}}},
          {"gemm", ops::Gemm{.alpha = 0.25, .beta = -1.5, .transpose_b = true, .has_c = true}, {{4, 9}, {6, 9}, {6}}},
          {"conv",
           ops::Conv{.strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 2, 1}, .group = 2, .has_bias = true},
           {{2, 4, 7, 9}, {6, 2, 3, 2}, {6}}},
          {"sum", ops::Reduce{ops::ReduceFunction::sum, {1}, false}, {{3, 50, 2}}},
          {"mean", ops::Reduce{ops::ReduceFunction::mean, {0, 2}, true}, {{3, 5, 11}}}};
}

TEST(Certify, EveryTruthIsAsCloseAsItsUncertaintySays) {
  bool any_differs = false;
  for (const ir::DType dtype : {ir::DType::f32, ir::DType::f64})
    for (const Sum& sum : sums()) {
      std::vector<ir::Tensor> operands, wide;
      for (std::size_t i = 0; i < sum.operands.size(); ++i) {
        operands.push_back(noise(dtype, sum.operands[i], static_cast<std::uint32_t>(i)));
        wide.push_back(ir::passes::widen(operands[i]));
      }
      const Known y = known(sum.op, operands);
      const auto truth = y.bounded.truth.outputs[0].as<double>();
      for (std::size_t i = 0; i < truth.size(); ++i) {
        const double exact = settle::certify::element_of(walker_of(sum.op, wide, y.bounded), i).value().rounded();
        const double uncertainty = y.bounded.uncertainty[0].at(std::abs(truth[i]), ir::DType::f64, i);
        EXPECT_LE(std::abs(exact - truth[i]), uncertainty) << sum.name << ' ' << i;
        EXPECT_LT(uncertainty, 1e-12) << sum.name << ' ' << i;
        any_differs |= exact != truth[i];
      }
    }
  EXPECT_TRUE(any_differs);  // there is something to be uncertain of
}

/// 2^60 - 2^60 + 1 and more of the kind: f64 loses most of the terms.
std::vector<ir::Tensor> ill_conditioned(std::int64_t n) {
  ir::Tensor a({ir::DType::f64, {1, 3 * n}}), b({ir::DType::f64, {3 * n, 1}});
  for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
    const double big = std::ldexp(1.0 + static_cast<double>(k), 54);
    a.as<double>()[k] = big;
    a.as<double>()[static_cast<std::size_t>(n) + k] = 1;
    a.as<double>()[static_cast<std::size_t>(2 * n) + k] = -big;
  }
  std::ranges::fill(b.as<double>(), 1);
  return {a, b};
}

TEST(Certify, AnElementOfAnIllConditionedNodeIsDecidedInDoubleDouble) {
  const auto operands = ill_conditioned(40);
  const Known y = known(ops::Matmul{}, operands);
  const double truth = y.bounded.truth.outputs[0].as<double>()[0], exact = 40;
  ASSERT_NE(truth, exact);  // f64 does not know
  const double limit = y.bounded.allowed[0].at(truth, ir::DType::f64, 0);
  std::size_t otherwise = 0;  // verdicts that only double-double gets right
  for (const double side : {-1.0, 1.0})
    for (const double from : {exact, truth}) {
      const double came = from + side * limit * (1 - 0x1p-40);  // as far from one as is allowed
      bounds::Bounded bounded = y.bounded;
      const auto got = ir::Tensor::of<double>({1, 1}, {came});
      const bool in_f64 = compare::compare(bounded.truth.outputs[0], got, bounded.allowed[0]).agrees();
      cases::Certificate certificate;
      Known again{y.segment, y.operands, bounded};
      const bool agrees = again.certify(got, certificate).agrees();
      EXPECT_EQ(certificate.recomputed, 1u);
      EXPECT_EQ(certificate.undecided, 0u);
      EXPECT_EQ(again.bounded.truth.outputs[0].as<double>()[0], exact);
      EXPECT_EQ(agrees, std::abs(came - exact) <= limit);
      otherwise += agrees != in_f64;
    }
  EXPECT_EQ(otherwise, 2u);  // one that f64 fails, one that it lets pass
}

/// Lines of which f64 has the mean wrong: numbers that cancel but for 1 in every third element.
TEST(Certify, ElementsOfANormAreDecidedByTheMeanAndTheDeviationOfTheirLine) {
  constexpr std::int64_t n = 40;
  ir::Tensor x = ill_conditioned(n)[0];
  const double count = 3 * n, mean = n / count;
  sums::DoubleDouble squares;
  for (const double one : std::as_const(x).as<double>()) {
    const sums::DoubleDouble d = one - sums::DoubleDouble(n) / count;
    squares = squares + d * d;
  }
  const double inverse = (1.0 / sqrt(squares / count + 1e-5)).rounded();
  Known y = known(ops::LayerNorm{.has_scale = false, .has_bias = false, .statistics = true}, {x});
  ASSERT_NE(y.bounded.truth.outputs[1].as<double>()[0], mean);  // f64 does not know
  for (const std::size_t k : {0u, 1u, 2u}) {
    const ir::Tensor got = y.bounded.truth.outputs[k];
    y.bounded.allowed[k] = {.rule = compare::Allowed::Rule::within, .relative = 0x1p-53};
    cases::Certificate certificate;
    y.certify(got, certificate, k);
    EXPECT_EQ(certificate.recomputed, static_cast<std::uint64_t>(got.elements())) << k;
    EXPECT_EQ(certificate.undecided, 0u) << k;
  }
  EXPECT_EQ(y.bounded.truth.outputs[1].as<double>()[0], mean);
  EXPECT_EQ(y.bounded.truth.outputs[2].as<double>()[0], inverse);
  EXPECT_DOUBLE_EQ(y.bounded.truth.outputs[0].as<double>()[n],
                   ((1 - sums::DoubleDouble(n) / count) * inverse).rounded());
}

TEST(Certify, NoMoreThanNeededIsComputedAgain) {
  const std::vector<ir::Tensor> operands = {noise(ir::DType::f32, {20, 30}, 0), noise(ir::DType::f32, {30, 20}, 1)};
  Known y = known(ops::Matmul{}, operands);
  ir::Tensor got = ir::convert(y.bounded.truth.outputs[0], ir::DType::f32);
  const double truth = y.bounded.truth.outputs[0].as<double>()[7];
  EXPECT_EQ(certificate_of(y, got).recomputed, 0u);
  // An element on its limit, as close as f32 can be: the truth's own error is far below that, so it is moved.
  got.as<float>()[7] = static_cast<float>(truth) + 1e-3f;
  y.bounded.allowed[0] = {.rule = compare::Allowed::Rule::within, .absolute = std::abs(got.as<float>()[7] - truth)};
  EXPECT_EQ(certificate_of(y, got).recomputed, 1u);
}

TEST(Certify, WhatThereIsNoWayForStaysUndecided) {
  Known y = known(ops::Reduce{ops::ReduceFunction::l2, {1}, false}, {noise(ir::DType::f32, {3, 50}, 0)});
  ir::Tensor got = ir::convert(y.bounded.truth.outputs[0], ir::DType::f32);
  got.as<float>()[1] += 1;
  const double truth = y.bounded.truth.outputs[0].as<double>()[1];
  y.bounded.allowed[0] = {.rule = compare::Allowed::Rule::within, .absolute = std::abs(got.as<float>()[1] - truth)};
  const cases::Certificate certificate = certificate_of(y, got);
  EXPECT_EQ(certificate.recomputed, 0u);
  EXPECT_EQ(certificate.undecided, 1u);
}

TEST(Certify, VerifyStoresTheUncertaintyOfEachNode) {
  testing::Suspect honest;
  const cases::Case subject = testing::make_case(testing::small_graph);
  const auto result = testing::verify_on(honest, subject);
  for (const cases::NodeResult& node : result.nodes) {
    const double uncertainty = node.certificate.uncertainty;
    if (node.label == "scores" || node.label == "weights" || node.label == "back") {
      EXPECT_GT(uncertainty, 0) << node.label;
      EXPECT_LT(uncertainty, 1e-12) << node.label;
    } else {
      EXPECT_EQ(uncertainty, 0) << node.label;  // only moved, or an integer
    }
    EXPECT_EQ(node.certificate.undecided, 0u) << node.label;
    results::SumList sums;
    results::Rows rows(subject.file->graph, 0, no_names, sums);
    rows.add(node);
    EXPECT_EQ(rows.nodes.at(0).ref_uncert, uncertainty) << node.label;
    EXPECT_EQ(rows.nodes.at(0).n_recomputed, 0u) << node.label;
  }
}

TEST(Certify, VerifyStoresHowManyElementsItRecomputed) {
  const auto operands = ill_conditioned(40);
  cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f64[1, 120]"}, "b": {"type": "f64[120, 1]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["a", "b"]}],
    "results": ["y"]})");
  subject.feeds = {{"a", operands[0]}, {"b", operands[1]}};
  const Known y = known(ops::Matmul{}, operands);
  const double truth = y.bounded.truth.outputs[0].as<double>()[0];
  const double on_limit = truth + y.bounded.allowed[0].at(truth, ir::DType::f64, 0);
  auto suspect = testing::spoiler("y", [on_limit](ir::Tensor& x) { x.as<double>()[0] = on_limit; });
  const auto result = testing::verify_on(suspect, subject);
  EXPECT_EQ(result.nodes.at(0).certificate.recomputed, 1u);
  results::SumList sums;
  results::Rows rows(subject.file->graph, 0, no_names, sums);
  rows.add(result.nodes[0]);
  EXPECT_EQ(rows.nodes.at(0).n_recomputed, 1u);
  EXPECT_EQ(rows.nodes.at(0).n_undecided, 0u);
}

}  // namespace
}  // namespace plumb::parity::certify_test
