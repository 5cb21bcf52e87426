// Elements of which an intermediate result leaves the range of the type are not judged.
#include "parity/settle/range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/binary.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/passes/widen.hpp"
#include "parity/sums/element_limit.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::settle::range_test {
namespace {

using ir::DType;
using ir::Tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Judged {
  std::uint64_t apart = 0;
  compare::Comparison comparison;
};

template <class T>
Judged judge(const ir::Op& op, const std::vector<Tensor>& operands, const std::vector<T>& got,
             const bounds::Manner& manner) {
  ir::TensorTypes types;
  for (const Tensor& operand : operands) types.push_back(operand.type());
  const core::Segment segment = core::segment_of(ir::graph_of(op, types), 0);
  ref_cpu::CpuExecutor cpu;
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(operands.at(v)); }, manner);
  const Tensor y = Tensor::of<T>(segment.graph.type(segment.outputs[0]).shape, got);
  const std::vector<ir::TensorView> inputs(operands.begin(), operands.end());
  std::optional<Tensor> native;
  const Tensor& truth = bounded.truth.outputs[0];
  const OutOfRange found =
      set_out_of_range_apart({cpu, segment, inputs, {}, manner}, 0, truth, bounded.allowed[0], y, native);
  Judged judged;
  judged.apart = found.count;
  judged.comparison = compare::compare(truth, y, found.allowed);
  return judged;
}

template <class T = float>
Judged judge(const ir::Op& op, const Tensor& x, const std::vector<T>& got) {
  return judge(op, std::vector{x}, got, {});
}

/// The products of rows of four: of the first the second factor overflows, of the second it vanishes, and the last is
/// ordinary.
Judged judge(const std::vector<float>& got) {
  const Tensor x =
      Tensor::of<float>({3, 4}, {1e30f, 1e30f, 1e-30f, 1e-30f, 1e-30f, 1e-30f, 1e30f, 1e30f, 2.0f, 3.0f, 4.0f, 5.0f});
  return judge(ir::ops::Reduce{ir::ops::ReduceFunction::product, {1}, false}, x, got);
}

TEST(Range, AnInfinityMeetsTermsOfTheOtherSignThatLeaveIt) {
  const ir::ops::Reduce sum{ir::ops::ReduceFunction::sum, {1}, false};
  const Tensor x = Tensor::of<float>({3, 3}, {3e38f, 3e38f, -infinity, 3e38f, 3e37f, -infinity, 1, 2, 3});
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Judged spoilt = judge(sum, x, {nan, -infinity, 6});
  EXPECT_EQ(spoilt.apart, 1u);
  EXPECT_TRUE(spoilt.comparison.agrees());
  const Judged wrong = judge(sum, x, {nan, nan, 6});  // the terms of the second row are in range in every order
  EXPECT_EQ(wrong.apart, 1u);
  EXPECT_EQ(wrong.comparison.n_nan_differ, 1u);
  EXPECT_FALSE(judge(sum, x, {infinity, -infinity, 6}).comparison.agrees());
}

TEST(Range, AFactorThatIsFlushedMakesNaNOfAnInfinity) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Tensor> operands = {Tensor::of<float>({1, 2}, {-0x1p-127f, 0.5f}),
                                        Tensor::of<float>({2, 3}, {infinity, 1, infinity, 1, infinity, 2})};
  const auto judged = [&](const std::vector<float>& got, bool flushes) {
    return judge(ir::ops::Matmul{}, operands, got, {.flushes_subnormals = flushes});
  };
  const Judged lost = judged({nan, infinity, nan}, true);
  EXPECT_EQ(lost.apart, 2u);
  EXPECT_TRUE(lost.comparison.agrees());
  EXPECT_EQ(judged({nan, nan, nan}, true).comparison.n_bad, 1u);  // 0.5 meets the infinity of the second
  EXPECT_EQ(judged({nan, infinity, nan}, false).comparison.n_bad, 2u);
  EXPECT_EQ(judged({infinity, infinity, -infinity}, true).comparison.n_bad, 1u);
}

TEST(Range, WhatLeavesItOnTheHostAsWellIsNotJudged) {
  const Judged one = judge({infinity, 0.0f, 120.0f});
  EXPECT_EQ(one.apart, 2u);
  EXPECT_EQ(one.comparison.n_apart, 2u);
  EXPECT_TRUE(one.comparison.agrees());
  EXPECT_EQ(judge({1.0f, 1.0f, 120.0f}).apart, 0u);  // a device that multiplies in another order is right, too
}

TEST(Range, ANaNIsMadeOfInfinitiesWhateverTheHostMakesOfThem) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judge({nan, nan, 120.0f}).apart, 2u);
  EXPECT_EQ(judge({infinity, 0.0f, nan}).apart, 2u);  // nothing is lost at the last
  EXPECT_EQ(judge({infinity, 0.0f, nan}).comparison.n_bad, 1u);
}

/// The host's own loss excuses only the same kind of loss.
TEST(Range, AnotherMistakeIsNotExcused) {
  EXPECT_EQ(judge({7.0f, 0.0f, 120.0f}).comparison.n_bad, 1u);        // the host has an infinity there
  EXPECT_EQ(judge({infinity, 0.0f, infinity}).comparison.n_bad, 1u);  // and nothing is lost here
  EXPECT_EQ(judge({infinity, 0.0f, 0.0f}).comparison.n_bad, 1u);
}

/// The host multiplies 1e30, 1e30, 1e-30, 1e-30 in order. A kernel in lanes may have an infinity, a 0 or both, of
/// either row.
TEST(Range, AProductMayLeaveItInTheOrderOfTheKernelAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judge({0.0f, infinity, 120.0f}).apart, 2u);
  EXPECT_EQ(judge({nan, infinity, 120.0f}).apart, 2u);
  EXPECT_EQ(judge({-infinity, 0.0f, 120.0f}).comparison.n_bad, 1u) << "no order loses the sign";
  const ir::Op product = ir::ops::Reduce{ir::ops::ReduceFunction::product, {1}, false};
  const Tensor over = Tensor::of<float>({1, 4}, {1e30f, 1e-20f, 1e20f, 1e-20f});
  EXPECT_EQ(judge(product, over, {nan}).comparison.n_bad, 1u) << "an infinity meets no 0";
  EXPECT_EQ(judge(product, over, {0}).comparison.n_bad, 1u) << "nothing vanishes";
  EXPECT_EQ(judge(product, over, {infinity}).apart, 1u);
  const Tensor under = Tensor::of<float>({1, 4}, {3e-22f, 1e-20f, 1e30f, 1e12f});  // 3e-42 has 12 bits
  EXPECT_EQ(judge(product, under, {3.001f}).apart, 1u);
  EXPECT_EQ(judge(product, under, {1e5f}).comparison.n_bad, 1u) << "the factors above 1 make 2e4 of what is subnormal";
  const Tensor small = Tensor::of<float>({1, 4}, {3e-15f, 1e-20f, 1e30f, 1e5f});
  EXPECT_EQ(judge(product, small, {3.001f}).comparison.n_bad, 1u) << "no partial product is subnormal";
}

/// A kernel in lanes makes a subnormal number of the 128 small factors, which is rounded to a fixed place: 150 units of
/// roundoff, between the probable limit of 180 factors and the certain one.
TEST(Range, ASubnormalPartialProductIsNoMatterOfChance) {
  const ir::Op op = ir::ops::Cumulative{.function = ir::ops::CumulativeFunction::product};
  const auto judged = [&](float small, double units) {
    std::vector<float> factors(52, 1.75f), got;
    factors.insert(factors.end(), 128, small);
    double product = 1;
    for (const float factor : factors) got.push_back(static_cast<float>(product *= factor));
    got.back() = static_cast<float>(product * (1 + units * 0x1p-24));
    return judge(op, Tensor::of<float>({1, 180}, factors), got);
  };
  EXPECT_EQ(judged(0.485f, 20).apart, 0u) << "within what chance does";
  const Judged lost = judged(0.485f, 150);
  EXPECT_EQ(lost.apart, 1u);
  EXPECT_TRUE(lost.comparison.agrees());
  EXPECT_EQ(judged(0.6f, 150).comparison.n_bad, 1u) << "the small factors make a normal number";
}

/// A running product beyond f32, in a truth that is infinite or comes back from beyond f64.
TEST(Range, ARunningProductThatIsInfiniteMayBeNaN) {
  std::vector<float> factors(20, 1e38f), got = {1e38f};
  factors.insert(factors.end(), 20, 1e-38f);
  got.resize(24, infinity);
  got.resize(40, std::numeric_limits<float>::quiet_NaN());
  const ir::Op op = ir::ops::Cumulative{.function = ir::ops::CumulativeFunction::product};
  const Judged one = judge(op, Tensor::of<float>({1, 40}, factors), got);
  EXPECT_TRUE(one.comparison.agrees());
  EXPECT_GE(one.apart, 16u);
  got[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judge(op, Tensor::of<float>({1, 40}, factors), got).comparison.n_bad, 1u);
}

/// Alternating terms keep the host in the range; all of one sign first, which a kernel in lanes may take, leave it.
TEST(Range, ASumMayOverflowInTheOrderOfTheKernelAlone) {
  const Tensor x = Tensor::of<float>({3, 4}, {3e38f, -3e38f, 3e38f, -2e38f, 1e38f, 1e38f, 1e38f, -1e38f, 1, 2, 3, 4});
  const ir::ops::Reduce op{ir::ops::ReduceFunction::sum, {1}, false};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judge(op, x, {infinity, 2e38f, 10.0f}).apart, 1u);
  EXPECT_EQ(judge(op, x, {nan, 2e38f, 10.0f}).apart, 1u);
  EXPECT_EQ(judge(op, x, {1e38f, infinity, 10.0f}).apart, 0u) << "three of these terms are in the range in any order";
  EXPECT_EQ(judge(op, x, {3e38f, 2e38f, 10.0f}).apart, 0u) << "an overflow does not end at a finite number";
}

/// A kernel that adds the bias before it rounds is not excused by a host that rounds in between: 1000.25 becomes 1000.
/// The truth of f64 has no more range than the kernel: a sum whose terms' sizes leave it may be anything, one of which
/// the squares alone do is judged, and what an infinity makes of a sum is no matter of an order.
TEST(Range, ASumOfDoublesMayLeaveThatOfItsTruth) {
  constexpr double huge = 1.5e308, infinite = std::numeric_limits<double>::infinity();
  const Tensor x =
      Tensor::of<double>({3, 4}, {huge, -huge, huge, -huge, 1e300, 1e300, -1e300, 2e300, infinite, 1, 2, 3});
  const ir::ops::Reduce sum{ir::ops::ReduceFunction::sum, {1}, false};
  for (const double came : {0.0, infinite, std::numeric_limits<double>::quiet_NaN()}) {
    const Judged one = judge(sum, x, std::vector<double>{came, 3e300, infinite});
    EXPECT_EQ(one.apart, 1u) << came;
    EXPECT_TRUE(one.comparison.agrees()) << came;
    EXPECT_EQ(one.comparison.n_without_limit, 0u) << came;
  }
  EXPECT_EQ(judge(sum, x, std::vector<double>{0, 3.1e300, infinite}).comparison.n_bad, 1u);
  EXPECT_EQ(judge(sum, x, std::vector<double>{0, 3e300, 0}).comparison.n_bad, 1u);
}

/// Sizes of both signs leave f64 together, and the limits that are made of them, though no order of the terms does.
TEST(Range, ASumOfDoublesWithoutALimitHasNoJudge) {
  constexpr double big = 1.2e308, infinite = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::of<double>({2, 4}, {big, -big, 1e300, 2e300, big, 1e300, -1e300, 2e300});
  const ir::ops::Reduce sum{ir::ops::ReduceFunction::sum, {1}, false};
  const double other = big + 2e300;
  const Judged one = judge(sum, x, std::vector<double>{3e300, other});
  EXPECT_EQ(one.apart, 1u);
  EXPECT_TRUE(one.comparison.agrees());
  EXPECT_EQ(one.comparison.n_without_limit, 0u);
  for (const double came : {infinite, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(judge(sum, x, std::vector<double>{came, other}).comparison.agrees()) << came;
  EXPECT_EQ(judge(sum, x, std::vector<double>{3e300, 1.1e308}).comparison.n_bad, 1u);
  const ir::ops::Cumulative running;
  const std::vector<double> rows = {big, 0, 1e300, 3e300, big, big + 1e300, big, other};
  const Judged lines = judge(running, x, rows);
  EXPECT_EQ(lines.apart, 3u) << "all but the first of the first line";
  EXPECT_EQ(lines.comparison.n_without_limit, 0u);
  EXPECT_TRUE(lines.comparison.agrees());
}

/// Their terms are 10^9 if each sum is walked by itself. The first sum is in the range in every order.
TEST(Range, RunningSumsOfDoublesLeaveThatOfTheirTruthAsALine) {
  constexpr std::size_t n = 50'000;
  std::vector<double> numbers(n, 1.0);
  for (const std::size_t k : {1, 2}) numbers[k] = 1.7e308;
  for (const bool reverse : {false, true}) {
    const Tensor x = Tensor::of<double>({static_cast<std::int64_t>(n)}, numbers);
    std::vector<double> got(n, std::numeric_limits<double>::quiet_NaN());
    got[reverse ? n - 1 : 0] = 1.0;
    const Judged judged = judge(ir::ops::Cumulative{.reverse = reverse}, x, got);
    EXPECT_EQ(judged.apart, n - 2) << reverse;  // the second is finite, and no NaN
    EXPECT_EQ(judged.comparison.n_bad, 1u) << reverse;
    std::ranges::reverse(numbers);
  }
}

TEST(Range, RoundingsBetweenNodesLeaveNoRange) {
  const ir::TensorTypes types = {{DType::f16, {1, 2}}, {DType::f16, {2, 1}}, {DType::f16, {1}}};
  ir::Graph graph;
  std::vector<ir::Value> in;
  for (const char* name : {"x", "w", "bias"}) in.push_back(graph.input(name, types[in.size()]));
  const ir::Value product = graph.add("product", ir::ops::Matmul{}, {in[0], in[1]});
  const ir::Value sum = graph.add("sum", ir::ops::Binary{ir::ops::BinaryFunction::add}, {product, in[2]});
  graph.returns(sum);
  const core::Segment segment = core::segment_of(graph, 1, [&](ir::Value v) { return v != product; });
  const std::vector<Tensor> fed = {Tensor::of<ir::f16>(types[0].shape, {ir::f16(1000.0f), ir::f16(0.25f)}),
                                   Tensor::of<ir::f16>(types[1].shape, {ir::f16(1.0f), ir::f16(1.0f)}),
                                   Tensor::of<ir::f16>(types[2].shape, {ir::f16(-1000.0f)})};
  std::vector<ir::TensorView> inputs;
  for (const ir::Value v : segment.fed) inputs.push_back(fed.at(v));
  ref_cpu::CpuExecutor cpu;
  const bounds::Manner manner;
  const auto apart = [&](float got) {
    const bounds::Bounded bounded = bounds::evaluate_bounded(
        cpu, segment, [&](ir::Value v) { return ir::passes::widen(fed.at(v)); }, manner);
    std::optional<Tensor> native;
    const Tensor y = Tensor::of<ir::f16>({1, 1}, {ir::f16(got)});
    return set_out_of_range_apart({cpu, segment, inputs, {}, manner}, 0, bounded.truth.outputs[0], bounded.allowed[0],
                                  y, native)
        .count;
  };
  EXPECT_EQ(apart(0.125f), 0u);
  EXPECT_EQ(apart(0.0f), 0u) << "a kernel that rounds in between as well is one that does not do what it says";
}

/// The squares of the first row leave the range, and the host has 0 for all of it: of the element at the mean, whose
/// truth is 0, that is right. A device whose sum overflows has NaN there as well.
TEST(Range, ARowThatLeavesItOnTheHostLeavesItAsAWhole) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({2, 4}, {3e38f, -3e38f, 0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f});
  const ir::ops::LayerNorm op{-1, 1e-5f, false, false};
  const auto with = [&](std::vector<float> first, float last) {
    for (const float y : {1.41420f, -1.41420f, 0.0f}) first.push_back(y);
    first.push_back(last);
    return judge(op, x, first);
  };
  EXPECT_TRUE(with({nan, nan, nan, nan}, 0).comparison.agrees());
  EXPECT_EQ(with({nan, nan, nan, nan}, 0).apart, 4u);
  EXPECT_TRUE(with({0, 0, nan, infinity}, 0).comparison.agrees());
  EXPECT_EQ(with({0, 0, 0, 0}, nan).comparison.n_bad, 1u) << "nothing overflows in the second row";
  EXPECT_EQ(with({0, 0, 7, 0}, 0).comparison.n_bad, 1u) << "no overflow gives 7, and the host is right there";
}

/// Four equal numbers add up to the largest one there is: whether a rounding takes them beyond it is the order's.
TEST(Range, ARowMayOverflowInTheOrderOfTheKernelAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto judged = [&](float x, float first, float last) {
    const Tensor rows = Tensor::of<float>({2, 4}, {x, x, x, x, 1, -1, 1, -1});
    const ir::ops::LayerNorm op{-1, 1e-5f, false, false};
    return judge(op, rows, {first, first, first, first, 0.999995f, -0.999995f, 0.999995f, last});
  };
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(judged(largest / 4, nan, -0.999995f).apart, 4u);
  EXPECT_EQ(judged(largest / 8, nan, -0.999995f).apart, 0u);
  EXPECT_EQ(judged(largest / 4, 0, nan).comparison.n_bad, 1u) << "nothing overflows in the second row";
}

/// Over an infinite variance nothing is left of a number but its bias.
TEST(Range, ALineThatOverflowsMayLeaveTheBias) {
  const float x = std::nextafter(0x1p63f, 0.0f);  // four squares add up to less than an ulp below the largest number
  const ir::TensorTypes types = {{DType::f32, {1, 4}}, {DType::f32, {4}}, {DType::f32, {4}}};
  const std::vector<Tensor> fed = {Tensor::of<float>({1, 4}, {x, -x, x, -x}), Tensor::of<float>({4}, {1, 1, 1, 1e-9f}),
                                   Tensor::of<float>({4}, {0.25f, 0.5f, 0.75f, 1.0f})};
  const auto apart = [&](float factor, float last) {
    std::vector<Tensor> of = {fed[0], fed[1], fed[2]};
    for (float& one : of[0].as<float>()) one *= factor;
    const core::Segment segment = core::segment_of(ir::graph_of(ir::ops::LayerNorm{-1, 1e-5f, true, true}, types), 0);
    ref_cpu::CpuExecutor cpu;
    const bounds::Manner manner;
    const bounds::Bounded bounded = bounds::evaluate_bounded(
        cpu, segment, [&](ir::Value v) { return ir::passes::widen(of.at(v)); }, manner);
    const std::vector<ir::TensorView> inputs(of.begin(), of.end());
    std::optional<Tensor> native;
    const Tensor y = Tensor::of<float>({1, 4}, {0.25f, 0.5f, 0.75f, last});
    return set_out_of_range_apart({cpu, segment, inputs, {}, manner}, 0, bounded.truth.outputs[0], bounded.allowed[0],
                                  y, native)
        .count;
  };
  EXPECT_EQ(apart(1, 1), 4u) << "the last is its bias with and without the overflow";
  EXPECT_EQ(apart(1, 2), 3u) << "no overflow gives 2";
  EXPECT_EQ(apart(0.5f, 1), 0u) << "nothing overflows";
}

/// A sum of these products as one chain of f32.
sums::ElementLimit limit_of(const std::vector<double>& a, double b, double flushed) {
  element::terms::ElementSum sum;
  for (const double x : a) sum.add(x, b);
  const ir::Sum chain{.levels = {{}}};
  return sums::limit_of(sum, {.sum = chain, .flushed = flushed}, 7);
}

/// Each rounding of a product to a multiple of the spacing of subnormals counts; sums of such multiples are exact.
TEST(Range, SubnormalsThatAreKeptRoundOncePerTerm) {
  constexpr double spacing = 0x1p-149;
  std::vector<double> x(1024, 0.3 * 0x1p-140);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= 1 + 1e-3 * static_cast<double>(i);
  const sums::ElementLimit kept = limit_of(x, 0.7, 0);
  EXPECT_NEAR(kept.probable, 7 * std::sqrt(1024.0) * spacing / 2, 0.01 * kept.probable);
  EXPECT_NEAR(kept.certain, 2047 * spacing / 2, 0.01 * kept.certain);
}

/// A number that may be flushed to 0 is lost itself; larger terms lose nothing.
TEST(Range, SubnormalsThatMayBeFlushedTakeThemselvesWithThem) {
  constexpr double least = 0x1p-126;
  EXPECT_GE(limit_of({1.0, 0.3 * least, 0.6 * least}, 1.0, least).probable, 0.9 * least);
  EXPECT_LE(limit_of({1.0, 0.3 * least, 0.6 * least}, 1.0, least).probable, 2 * 0x1p-22);
  const sums::ElementLimit small = limit_of({0.3 * least, 0.3 * least, 0.3 * least}, 1.0, least);
  EXPECT_NEAR(small.certain, 0.9 * least + 2 * least, 1e-6 * least);  // the terms, and both partial sums
  EXPECT_EQ(limit_of({1.0, 2.0, 4.0}, 1.0, least).certain, 0);
  // A factor that is flushed takes a term with it that is not small.
  EXPECT_GE(limit_of({0.5 * least}, 1e30, least).certain, 0.5e30 * least);
}

}  // namespace
}  // namespace plumb::parity::settle::range_test
