// The CPU executor adds as it says: what it publishes of a kernel's sums, replayed term by term, gives every bit of
// every element.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/convert.hpp"
#include "ir/executor.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/settle/replay.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::ref_cpu::trees_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using parity::element::terms::ElementSum;

Tensor normal(DType dtype, const Shape& shape, unsigned seed) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
  std::mt19937 random(seed);
  std::normal_distribution<float> draw;
  for (float& x : numbers) x = draw(random);
  return ir::convert(Tensor::of(shape, numbers), dtype);
}

ir::OpRun ran(const ir::Op& op, const std::vector<Tensor>& operands, int threads = 0) {
  CpuExecutor cpu({threads});
  return ir::run_op_with_report(cpu, op, operands);
}

/// The sum in the published order, and behind it what the op has there, each step rounded to f32.
double replay(const ElementSum& sum, const ir::Sum& published, DType dtype) {
  std::vector<float> a, b;
  for (const auto& term : sum.terms) {
    a.push_back(static_cast<float>(term.a));
    b.push_back(static_cast<float>(term.b));
  }
  float made = a.empty() ? 0 : parity::settle::replayed(a, b, published, true).value();
  if (sum.scale != 1) made = static_cast<float>(static_cast<double>(static_cast<float>(sum.scale)) * made);
  if (sum.divisor != 1) made = static_cast<float>(made / sum.divisor);
  for (const auto& term : sum.added) {
    const auto product = static_cast<float>(static_cast<double>(static_cast<float>(term.a)) * term.b);
    made = static_cast<float>(static_cast<double>(made) + product);
  }
  return parity::settle::stored_as(dtype, made);
}

/// How many elements of what an op gave are not what these sums give.
std::int64_t count_others(const ir::Op& op, const std::vector<Tensor>& operands, const Tensor& y,
                          const ir::Sum& published) {
  std::vector<Tensor> wide;
  for (const Tensor& x : operands) wide.push_back(ir::convert(x, DType::f64));
  std::vector<parity::element::terms::Operand> walked;
  for (const Tensor& x : wide) walked.push_back({x.as<double>(), x.shape()});
  const auto walker = parity::element::terms::find_walker(op, walked, y.shape()).value();
  const Tensor got = ir::convert(y, DType::f64);
  std::int64_t others = 0;
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    ElementSum sum;
    walker(i, sum);
    others += replay(sum, published, y.dtype()) != got.as<double>()[static_cast<std::size_t>(i)];
  }
  return others;
}

void expect_equal_to_replay(const ir::Op& op, const std::vector<Tensor>& operands, const std::string& what) {
  const ir::OpRun run = ran(op, operands);
  ASSERT_EQ(run.report.sums.size(), 1u) << what;
  EXPECT_EQ(count_others(op, operands, run.outputs[0], run.report.sums[0]), 0) << what;
}

struct Extents {
  std::int64_t m, k, n;
};

/// Lines, odd and prime extents, those of tiles and vectors and one more or less.
constexpr Extents extents[] = {{1, 1, 1},    {1, 513, 1},  {1, 300, 97}, {97, 300, 1},  {3, 2, 5},     {7, 31, 15},
                               {8, 255, 48}, {9, 256, 49}, {17, 257, 7}, {16, 512, 16}, {33, 65, 17},  {5, 1021, 3},
                               {4, 0, 3},    {13, 40, 95}, {260, 3, 5},  {12, 100, 24}, {31, 770, 11}, {257, 17, 13}};

TEST(Trees, OfProductsAreThosePublished) {
  unsigned seed = 1;
  for (const auto& [m, k, n] : extents)
    for (const bool turn_a : {false, true})
      for (const bool turn_b : {false, true}) {
        const Tensor a = normal(DType::f32, turn_a ? Shape{k, m} : Shape{m, k}, ++seed);
        const Tensor b = normal(DType::f32, turn_b ? Shape{n, k} : Shape{k, n}, ++seed);
        const std::string what = ir::cat(m, "x", k, "x", n, turn_a ? " ta" : "", turn_b ? " tb" : "");
        expect_equal_to_replay(ir::ops::Matmul{turn_a, turn_b, {}}, {a, b}, what);
      }
}

TEST(Trees, OfProductsThatAreCutIntoPanelsAreThoseOfWholeOnes) {
  const ir::ops::Matmul op{};
  for (const auto& [a, b] : {std::pair{Shape{3, 5, 70}, Shape{70, 9}}, std::pair{Shape{2, 1, 5, 70}, Shape{3, 70, 9}},
                             std::pair{Shape{130, 20}, Shape{20, 70}}})
    expect_equal_to_replay(op, {normal(DType::f32, a, 1), normal(DType::f32, b, 2)}, ir::cat(a, " by ", b));
  const std::vector<Tensor> large = {normal(DType::f32, {300, 600}, 3), normal(DType::f32, {600, 130}, 4)};
  const ir::OpRun alone = ran(op, large, 1), together = ran(op, large, 4);
  EXPECT_TRUE(std::ranges::equal(alone.outputs[0].bytes(), together.outputs[0].bytes()));
}

TEST(Trees, OfNarrowProductsAreThosePublished) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const std::vector<Tensor> operands = {normal(dtype, {13, 517}, 1), normal(dtype, {517, 19}, 2)};
    expect_equal_to_replay(ir::ops::Matmul{}, operands, "narrow");
    expect_equal_to_replay(ir::ops::Matmul{false, false, DType::f32}, operands, "to f32");
  }
}

TEST(Trees, OfGemmHaveAlphaAndBiasBehindThem) {
  const Tensor a = normal(DType::f32, {19, 270}, 1), b = normal(DType::f32, {270, 21}, 2);
  const Tensor c = normal(DType::f32, {21}, 3), turned = normal(DType::f32, {21, 270}, 4);
  expect_equal_to_replay(ir::ops::Gemm{}, {a, b}, "plain");
  expect_equal_to_replay(ir::ops::Gemm{.alpha = 0.3, .transpose_b = true}, {a, turned}, "alpha");
  expect_equal_to_replay(ir::ops::Gemm{.alpha = 1.7, .beta = -0.6, .has_c = true}, {a, b, c}, "alpha, beta and c");
  const auto sums = ran(ir::ops::Gemm{.alpha = 1.7, .has_c = true}, {a, b, c}).report.sums;
  EXPECT_EQ(sums.at(0).epilogue, (std::vector<ir::SumStep>{ir::SumStep::alpha, ir::SumStep::bias}));
}

TEST(Trees, OfConvolutionsAreOneChainAndABias) {
  using Conv = ir::ops::Conv;
  const Tensor image = normal(DType::f32, {2, 6, 13, 17}, 1), bias = normal(DType::f32, {12}, 2);
  const auto filters = [](const Shape& shape) { return normal(DType::f32, shape, 3); };
  expect_equal_to_replay(Conv{{}, {}, {1, 1, 1, 1}, 1, false}, {image, filters({12, 6, 3, 3})}, "nearly dense");
  expect_equal_to_replay(Conv{{}, {}, {1, 1, 1, 1}, 1, true}, {image, filters({12, 6, 3, 3}), bias}, "with a bias");
  expect_equal_to_replay(Conv{{2, 3}, {2, 1}, {2, 0, 1, 3}, 1, false}, {image, filters({5, 6, 3, 5})}, "columns");
  expect_equal_to_replay(Conv{{}, {}, {}, 3, true}, {image, filters({12, 2, 1, 1}), bias}, "groups");
  expect_equal_to_replay(Conv{{}, {}, {2, 2, 2, 2}, 6, true}, {image, filters({12, 1, 5, 5}), bias}, "depthwise");
  expect_equal_to_replay(Conv{{2}, {}, {3, 3}, 1, false},
                         {normal(DType::f16, {1, 40, 31}, 4), normal(DType::f16, {7, 40, 9}, 5)}, "f16, 360 terms");
}

TEST(Trees, OfContractionsAreInTheOrderOfTheFirstOperand) {
  const Tensor a = normal(DType::f32, {5, 7, 6, 11}, 1), b = normal(DType::f32, {7, 5, 11, 9}, 2);
  const ir::ops::DotGeneral in_order{{0}, {1}, {1, 3}, {0, 2}}, otherwise{{0}, {1}, {3, 1}, {2, 0}};
  expect_equal_to_replay(in_order, {a, b}, "dot_general");
  EXPECT_TRUE(ran(otherwise, {a, b}).report.sums.empty());
  expect_equal_to_replay(ir::ops::Einsum{"bcmk,bknc->bmn"}, {a, normal(DType::f32, {5, 11, 9, 7}, 3)}, "two operands");
  expect_equal_to_replay(ir::ops::Einsum{"bcmk->mb"}, {a}, "one operand");
  const std::vector<Tensor> three = {normal(DType::f32, {3, 4}, 4), normal(DType::f32, {4, 5}, 5),
                                     normal(DType::f32, {5, 6}, 6)};
  EXPECT_TRUE(ran(ir::ops::Einsum{"ab,bc,cd->ad"}, three).report.sums.empty());
}

TEST(Trees, OfReductionsAreThosePublished) {
  using F = ir::ops::ReduceFunction;
  for (const std::int64_t length : {1, 2, 31, 32, 33, 63, 64, 1000, 1023, 1024, 1025, 2049, 3100, 8192, 9999}) {
    const Tensor lines = normal(DType::f32, {3, length}, 1), columns = normal(DType::f32, {length, 3}, 2);
    for (const F function : {F::sum, F::mean, F::l1, F::sum_square}) {
      expect_equal_to_replay(ir::ops::Reduce{function, {1}, false}, {lines}, ir::cat("lines of ", length));
      expect_equal_to_replay(ir::ops::Reduce{function, {0}, true}, {columns}, ir::cat("columns of ", length));
    }
  }
  expect_equal_to_replay(ir::ops::Reduce{F::sum, {0, 1}, false}, {normal(DType::f32, {37, 5, 70}, 3)}, "many columns");
  expect_equal_to_replay(ir::ops::Reduce{F::sum, {0, 2}, false}, {normal(DType::f32, {37, 5, 30}, 4)}, "short runs");
  expect_equal_to_replay(ir::ops::Reduce{F::mean, {0, 2}, false}, {normal(DType::f16, {37, 5, 96}, 5)}, "whole lanes");
  const Tensor ragged = normal(DType::f32, {37, 5, 97}, 6);
  EXPECT_TRUE(ran(ir::ops::Reduce{F::sum, {0, 2}, false}, {ragged}).report.sums.empty());
}

/// With values that pick one weight each, an attention is the softmax of its scores; of equal scores it is a mean.
TEST(Trees, OfAttentionAreThosePublished) {
  constexpr std::int64_t queries = 5, keys = 1100, depth = 300;
  const Tensor q = normal(DType::f32, {1, 1, queries, depth}, 1), k = normal(DType::f32, {1, 1, keys, depth}, 2);
  std::vector<float> picks(static_cast<std::size_t>(keys * keys));
  for (std::size_t j = 0; j < keys; ++j) picks[j * keys + j] = 1;
  const ir::ops::Attention op{.scale = 0.25};
  const ir::OpRun run = ran(op, {q, k, Tensor::of({1, 1, keys, keys}, picks)});
  ASSERT_EQ(run.report.sums.size(), 3u);
  const auto replayed = [](std::span<const float> a, std::span<const float> b, const ir::Sum& sum) {
    return parity::settle::replayed(a, b, sum, true).value();
  };
  std::vector<float> scores;
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t j = 0; j < keys; ++j)
      scores.push_back(0.25F * replayed(q.as<float>().subspan(i * depth, depth),
                                        k.as<float>().subspan(j * depth, depth), run.report.sums[0]));
  const ir::OpRun weights = ran(ir::ops::Softmax{}, {Tensor::of({queries, keys}, scores)});
  EXPECT_TRUE(std::ranges::equal(run.outputs[0].bytes(), weights.outputs[0].bytes()));
  EXPECT_EQ(run.report.sums[1], weights.report.sums[0]);

  const Tensor v = normal(DType::f32, {1, 1, keys, 3}, 3);
  const ir::OpRun mean = ran(op, {Tensor({DType::f32, {1, 1, 1, depth}}), k, v});
  const std::vector<float> ones(keys, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<float> column;
    for (std::size_t j = 0; j < keys; ++j) column.push_back(v.as<float>()[3 * j + d]);
    EXPECT_EQ(mean.outputs[0].as<float>()[d], replayed(ones, column, mean.report.sums[2]) / keys) << d;
  }
  EXPECT_TRUE(ran(ir::ops::Attention{.causal = true}, {q, k, v}).report.sums.empty());  // rows of several lengths
}

TEST(Trees, AWrongRecordIsRefuted) {
  const std::vector<Tensor> operands = {normal(DType::f32, {16, 700}, 1), normal(DType::f32, {700, 16}, 2)};
  const ir::Op op = ir::ops::Matmul{};
  const ir::OpRun run = ran(op, operands);
  const ir::Sum published = run.report.sums.at(0);
  ir::Sum halves = published, whole = published, other = published;
  halves.levels[0].count /= 2;
  whole.levels = {{}};
  other.unit = published.unit == ir::SumUnit::fma ? ir::SumUnit::separate : ir::SumUnit::fma;
  for (const ir::Sum& wrong : {halves, whole, other})
    EXPECT_GT(count_others(op, operands, run.outputs[0], wrong), 64) << ir::to_text(wrong);
}

TEST(Trees, OfOthersAreNotPublished) {
  const auto sums = [](const ir::Op& op, const std::vector<Tensor>& operands) { return ran(op, operands).report.sums; };
  for (const DType dtype : {DType::f64, DType::i32})
    EXPECT_TRUE(sums(ir::ops::Matmul{}, {normal(dtype, {3, 4}, 1), normal(dtype, {4, 5}, 2)}).empty());
  EXPECT_TRUE(sums(ir::ops::ConvTranspose{}, {normal(DType::f32, {1, 2, 5, 5}, 1), normal(DType::f32, {2, 3, 2, 2}, 2)})
                  .empty());
  EXPECT_EQ(sums(ir::ops::Softmax{}, {normal(DType::f32, {2, 40}, 1)}).at(0).of, ir::SumName::row_sum);
}

}  // namespace
}  // namespace plumb::ref_cpu::trees_test
