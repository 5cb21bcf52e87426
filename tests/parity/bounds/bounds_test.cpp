#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/op_list.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dequant_matmul.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/judges/question.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::bounds_test {
namespace {

using ir::DType;
using ir::Tensor;
using testing::random_tensor;

/// A chain of ops on one operand each after the first, of which only the last value survives.
core::Segment chain(const std::vector<ir::Op>& ops, const std::vector<std::vector<ir::TensorType>>& operands) {
  ir::Graph graph;
  std::vector<std::vector<ir::Value>> values;
  for (const auto& types : operands) {
    values.emplace_back();
    for (const auto& type : types) values.back().push_back(graph.input(ir::cat("v", graph.value_count()), type));
  }
  ir::Value last = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    std::vector<ir::Value> inputs = values[i];
    if (i > 0) inputs.insert(inputs.begin(), last);
    last = graph.add(ir::cat("op ", i), ops[i], inputs);
  }
  const auto kept = [&](ir::Value v) { return graph.is_source(v); };
  return core::segment_of(graph, ops.size() - 1, kept);
}

struct Evaluation {
  bounds::Bounded truth;
  Tensor native;
};

/// The truth with its limits, and what the CPU gives in the segment's own dtypes.
Evaluation run(const core::Segment& segment, const std::vector<Tensor>& operands, const bounds::Manner& manner = {}) {
  ref_cpu::CpuExecutor cpu;
  const auto wide = [&](ir::Value v) { return ir::passes::widen(operands.at(v)); };
  const auto plain = [&](ir::Value v) { return operands.at(v); };
  return {bounds::evaluate_bounded(cpu, segment, wide, manner), core::evaluate(cpu, segment, plain).outputs.front()};
}

double limit_at(const Evaluation& run, std::size_t index) {
  return run.truth.allowed.front().limits->probable.as<double>()[index];
}

TEST(Bounds, EveryOpHasAnErrorModelOrAClassThatSaysAllOrAJudge) {
  const auto modelled = bounds::modelled_ops(), judged = judges::ops_with_judges();
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    const auto is_in = [&](const auto& ops) { return std::ranges::find(ops, schema) != ops.end(); };
    const bool has_class = bounds::is_modelled_by_class(schema->defaults().error_class());
    EXPECT_TRUE(is_in(modelled) || is_in(judged) || has_class) << schema->name;
  }
}

TEST(Bounds, OfAProductIsTheMeanScaleOfItsPartialSums) {
  // One product of K = 12 equal terms of 2: partial sums are 2 times 2 to 12 in every order, and u(y) comes on top.
  const std::int64_t k = 12;
  const Tensor a = Tensor::of<float>({1, k}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
  const Tensor b = Tensor::of<float>({k, 1}, {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1});
  const Evaluation one = run(chain({ir::ops::Matmul{}}, {{a.type(), b.type()}}), {a, b});
  const double u = 0x1p-24, n = 12, y = 24, squares = 48;
  const double lambda = std::sqrt(2 * std::log(4 / 1e-6));  // a run of this element alone (verdict.md V52)
  const double chance = lambda * u * std::sqrt(4 * (4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 100 + 121 + 144) + squares);
  const double certain = (n + 1) * u * y;
  const double probable = limit_at(one, 0) / (std::min(chance, certain) + 2 * u * y);
  const double most = one.truth.allowed.front().limits->certain.as<double>()[0] / (certain + 2 * u * y);
  constexpr double rounded_up = 0x1p-15;  // sums of sizes, at most
  EXPECT_GE(probable, 1 - 1e-12);
  EXPECT_LE(probable, 1 + rounded_up);
  EXPECT_GE(most, 1 - 1e-12);
  EXPECT_LE(most, 1 + rounded_up);
}

TEST(Bounds, OfCutOffSumsGrowWithTheirNumber) {
  const bounds::Manner cut{.arithmetic = {.truncates = true, .block = 4}};
  for (const std::int64_t k : {64, 1024, 16384}) {
    const Tensor a = random_tensor({DType::f16, {2, k}}, 1), b = random_tensor({DType::f16, {k, 2}}, 2);
    const core::Segment one = chain({ir::ops::Matmul{.output_dtype = DType::f32}}, {{a.type(), b.type()}});
    const double factor = limit_at(run(one, {a, b}, cut), 0) / limit_at(run(one, {a, b}), 0);
    const double lambda = std::sqrt(2 * std::log(16 / 1e-6));
    EXPECT_NEAR(factor, std::max(1.0, std::sqrt(double(k)) / 2 / lambda), 0.1 * factor) << k;
  }
}

TEST(Bounds, HoldInF32AndCatchAnF16Accumulator) {
  for (const std::int64_t k : {17, 300, 1000}) {
    const Tensor a = random_tensor({DType::f32, {31, k}}, 5), b = random_tensor({DType::f32, {k, 29}}, 6);
    const core::Segment one = chain({ir::ops::Matmul{}}, {{a.type(), b.type()}});
    const Evaluation honest = run(one, {a, b});
    EXPECT_TRUE(compare::compare(honest.truth.truth.outputs[0], honest.native, honest.truth.allowed[0]).agrees()) << k;
    const Tensor coarse = ir::convert(ir::convert(honest.native, DType::f16), DType::f32);
    const auto caught = compare::compare(honest.truth.truth.outputs[0], coarse, honest.truth.allowed[0]);
    EXPECT_GT(caught.n_bad, 800u) << k;
    EXPECT_GT(caught.ratio(), 5) << k;
    if (k == 17) {
      EXPECT_GT(caught.ratio_certain, 1);  // a defect, whatever chance says
    }
  }
}

TEST(Bounds, AreCarriedThroughWhatFollows) {
  const Tensor a = random_tensor({DType::f32, {9, 64}}, 1), b = random_tensor({DType::f32, {64, 33}}, 2);
  const Tensor scale = random_tensor({DType::f32, {33}}, 3);
  const std::vector<std::vector<ir::Op>> chains = {
      {ir::ops::Matmul{}, ir::ops::Softmax{}},
      {ir::ops::Matmul{}, ir::ops::Unary{ir::ops::UnaryFunction::relu}},
      {ir::ops::Matmul{}, ir::ops::Unary{ir::ops::UnaryFunction::tanh}, ir::ops::Softmax{0}},
      {ir::ops::Matmul{}, ir::ops::LayerNorm{.has_scale = true, .has_bias = false}},
      {ir::ops::Matmul{}, ir::ops::Reduce{ir::ops::ReduceFunction::mean, {1}, true}}};
  for (const auto& ops : chains) {
    std::vector<std::vector<ir::TensorType>> operands(ops.size());
    operands[0] = {a.type(), b.type()};
    const bool scaled = ops.back().is<ir::ops::LayerNorm>();
    if (scaled) operands.back() = {scale.type()};
    const Evaluation one = run(chain(ops, operands), {a, b, scale});
    const auto found = compare::compare(one.truth.truth.outputs[0], one.native, one.truth.allowed[0]);
    EXPECT_TRUE(found.agrees()) << ops.back().name() << ": " << compare::summary(found);
    EXPECT_GT(found.ratio(), 1e-3) << ops.back().name();  // and not so wide that nothing could fail
    EXPECT_FALSE(compare::is_too_loose(one.truth.allowed[0], found)) << ops.back().name();
  }
}

/// Attention as exporters write it: scores that are masked with -inf have weights of 0, which know no error.
TEST(Bounds, AreFiniteBehindAMaskOfInfinities) {
  const Tensor a = random_tensor({DType::f32, {9, 64}}, 1), b = random_tensor({DType::f32, {64, 33}}, 2);
  const Tensor v = random_tensor({DType::f32, {33, 5}}, 4);
  Tensor mask({DType::f32, {9, 33}});
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = i + 1; j < 33; ++j) mask.as<float>()[i * 33 + j] = -std::numeric_limits<float>::infinity();
  const core::Segment attention = chain({ir::ops::Matmul{}, ir::ops::Binary{ir::ops::BinaryFunction::add},
                                         ir::ops::Softmax{}, ir::ops::Matmul{}, ir::ops::Transpose{{1, 0}}},
                                        {{a.type(), b.type()}, {mask.type()}, {}, {v.type()}, {}});
  EXPECT_EQ(attention.judged.error_class, ir::ErrorClass::comp);
  const Evaluation one = run(attention, {a, b, mask, v});
  const auto found = compare::compare(one.truth.truth.outputs[0], one.native, one.truth.allowed[0]);
  EXPECT_EQ(found.n_without_limit, 0u);
  EXPECT_TRUE(found.agrees()) << compare::summary(found);
  EXPECT_FALSE(compare::is_too_loose(one.truth.allowed[0], found));
}

/// Whatever only moves or selects has no limit of its own: what was fused in front of it has, at the place that the
/// number was moved to.
TEST(Bounds, OfAFusedGroupEndWhereItsLastOpMovesThem) {
  const Tensor x = random_tensor({DType::f32, {4, 12}}, 1);
  Tensor indices({DType::i64, {3}});
  indices.as<std::int64_t>()[1] = 2;
  indices.as<std::int64_t>()[2] = 1;
  const std::vector<std::pair<ir::Op, std::vector<Tensor>>> movements = {
      {ir::ops::Transpose{{1, 0}}, {}},  {ir::ops::Reshape{{2, 24}}, {}},
      {ir::ops::Expand{{3, 4, 12}}, {}}, {ir::ops::Slice{.axes = {1}, .starts = {2}, .sizes = {5}, .steps = {}}, {}},
      {ir::ops::Reverse{{1}}, {}},       {ir::ops::Roll{{3}, {1}}, {}},
      {ir::ops::Tile{{2, 1}}, {}},       {ir::ops::Gather{}, {indices}}};
  for (const auto& [op, more] : movements) {
    std::vector<std::vector<ir::TensorType>> operands = {{x.type()}, {}};
    std::vector<Tensor> fed = {x};
    for (const Tensor& one : more) {
      operands[1].push_back(one.type());
      fed.push_back(one);
    }
    const core::Segment fused = chain({ir::ops::Softmax{}, op}, operands);
    EXPECT_EQ(fused.judged.error_class, ir::ErrorClass::comp) << op.name();
    const Evaluation group = run(fused, fed), alone = run(chain({ir::ops::Softmax{}}, {{x.type()}}), {x});
    std::vector<Tensor> limits = {alone.truth.allowed[0].limits->probable};
    limits.insert(limits.end(), more.begin(), more.end());
    std::vector<std::vector<ir::TensorType>> moving = {{limits[0].type()}};
    for (const Tensor& one : more) moving[0].push_back(one.type());
    const Tensor moved = run(chain({op}, moving), limits).native;
    EXPECT_THAT(group.truth.allowed[0].limits->probable.as<double>(), ::testing::ElementsAreArray(moved.as<double>()))
        << op.name();
  }
}

TEST(Bounds, AnErrorThatNoModelCarriesIsRefused) {
  const Tensor a = random_tensor({DType::f32, {2, 3}}, 1);
  const core::Segment two =
      chain({ir::ops::Softmax{}, ir::ops::Reduce{ir::ops::ReduceFunction::product, {1}, true}}, {{a.type()}, {}});
  EXPECT_THROW(run(two, {a}), bounds::NoModel);
}

TEST(Bounds, OfGridSampleKnowWhichElementsAreTaps) {
  Tensor image({DType::f32, {1, 1, 8, 8}}), grid({DType::f32, {1, 1, 2, 2}});
  for (std::size_t i = 0; i < 64; ++i) image.as<float>()[i] = static_cast<float>(i % 7);
  image.as<float>()[0] = std::numeric_limits<float>::infinity();
  std::ranges::copy(std::array{0.5f, 0.5f, 0.25f, 0.6f}, grid.as<float>().begin());
  for (const auto padding :
       {ir::ops::SamplePadding::zeros, ir::ops::SamplePadding::border, ir::ops::SamplePadding::reflection}) {
    const ir::ops::GridSample cubic{ir::ops::SampleMode::cubic, padding};
    const Evaluation one = run(chain({cubic}, {{image.type(), grid.type()}}), {image, grid});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(limit_at(one, i), 1e-3) << ir::enum_name(padding);
    const auto found = compare::compare(one.truth.truth.outputs[0], one.native, one.truth.allowed[0]);
    EXPECT_TRUE(found.agrees()) << compare::summary(found);
  }
}

TEST(Bounds, ProductsOfShortNumbersAreExactAlsoWithPackedWeights) {
  ir::Graph none;
  bounds::ExpressionBuilder builder(none);
  const auto is_exact = [&](const ir::Op& op, DType x) {
    return bounds::has_exact_products(bounds::Node{builder, op, {}, {}, 0, {{x, {1, 32}}}, {{DType::f32, {1, 1}}}});
  };
  using ir::ops::WeightDtype;
  for (const DType x : {DType::f16, DType::bf16, DType::f32, DType::i8, DType::f64}) {
    const bool is_short = x == DType::f16 || x == DType::bf16;
    EXPECT_EQ(is_exact(ir::ops::Matmul{}, x), is_short);
    for (const WeightDtype weights : {WeightDtype::f32, WeightDtype::f16, WeightDtype::bf16}) {
      const bool expected = is_short && weights != WeightDtype::f32;
      EXPECT_EQ(is_exact(ir::ops::DequantMatmul{.weight_dtype = weights}, x), expected);
      EXPECT_EQ(is_exact(ir::ops::DequantGroupedMatmul{.weight_dtype = weights}, x), expected);
    }
  }
}

TEST(Bounds, OfEmptySumsAreNothing) {
  const Tensor a({DType::f32, {3, 0}}), b({DType::f32, {0, 2}});
  const Evaluation none = run(chain({ir::ops::Matmul{}}, {{a.type(), b.type()}}), {a, b});
  EXPECT_EQ(limit_at(none, 5), 0);
}

}  // namespace
}  // namespace plumb::parity::bounds_test
