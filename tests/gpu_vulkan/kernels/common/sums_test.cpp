// Records of how kernels add, on devices that are made up: no GPU is needed.
#include "gpu_vulkan/kernels/common/sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gpu_vulkan/plan/plan.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequant_matmul.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/lowered.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan::sums_test {
namespace {

using ir::DType;
using ir::Sum;
using ir::SumJoin;
using ir::SumTake;
using ir::SumUnit;

template <class... T>
bool is_one_of(const ir::Op& op) {
  return (op.is<T>() || ...);
}

/// Whether results of the op have sums in them, whichever kernel computes them.
bool sums(const ir::Op& op) {
  using namespace ir::ops;
  // Terms that a kernel adds in another order than the contract's have no record.
  if (op.is<DotGeneral>()) return std::ranges::is_sorted(op.as<DotGeneral>().a_contract);
  if (op.error_class() == ir::ErrorClass::dot) return true;
  if (op.is<GridSample>()) return op.as<GridSample>().mode != SampleMode::nearest;
  if (op.is<Pool>()) return op.as<Pool>().function != PoolFunction::max;
  if (op.is<Reduce>()) {
    const ReduceFunction function = op.as<Reduce>().function;
    return function == ReduceFunction::log_sum || function == ReduceFunction::log_sum_exp;
  }
  return is_one_of<Attention, GroupNorm, InstanceNorm, LayerNorm, LogSoftmax, LpNorm, Lrn, MeanVarianceNorm, RmsNorm,
                   Softmax>(op);
}

/// Runs everything, so that planning never ends early.
struct AnyHost final : ir::Executor {
  std::string_view name() const override { return "anyone"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
    return nullptr;
  }
};

TEST(Sums, EveryKernelOfAnOpThatSumsPublishesThem) {
  const AnyHost host;
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures")) {
    if (entry.path().extension() != ".json" || entry.path().string().find("/invalid/") != std::string::npos) continue;
    if (entry.path().stem() == "axes_in_another_order") continue;
    const ir::Graph graph = ir::formats::read_graph(entry.path()).graph;
    for (const device::DeviceFacts& facts :
         {testing::h200(), testing::rdna3(), testing::phone(), testing::lavapipe()}) {
      const plan::Plan plan = plan::make_plan(graph, {graph.results()}, facts, {.host = &host});
      for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
        const ir::Node& node = graph.nodes()[n];
        const DType dtype = graph.type(node.outputs[0]).dtype;
        const bool is_real = ir::is_float(dtype) || ir::is_complex(dtype);
        if (plan.nodes[n].placement != ir::Placement::gpu || !is_real || !sums(node.op)) continue;
        ++seen;
        EXPECT_FALSE(plan.nodes[n].sums.empty()) << entry.path().filename() << ", node '" << node.label << "' ("
                                                 << node.op.name() << ") by " << plan.nodes[n].kernel;
      }
    }
  }
  EXPECT_GT(seen, 1000u);
}

/// The kernel and the sums of a node on a device.
plan::KernelChoice choice_of(const ir::Op& op, const std::vector<ir::TensorType>& operands,
                             const device::DeviceFacts& facts) {
  return lowered_node(op, operands, facts).choice;
}

ir::SumLevel chain(std::int64_t count) { return {.count = count, .take = SumTake::run, .join = SumJoin::chain}; }
ir::SumLevel unit(std::int64_t count) { return {.count = count, .take = SumTake::run, .join = SumJoin::unit}; }
ir::SumLevel pairs(std::int64_t count) { return {.count = count, .take = SumTake::every, .join = SumJoin::pair}; }

Sum kept(Sum sum) {
  sum.levels.front().compensated = sum.levels.back().compensated = true;
  return sum;
}

TEST(Sums, OfProducts) {
  const auto product = [](DType dtype, std::int64_t m, std::int64_t k, std::int64_t n,
                          const device::DeviceFacts& facts) {
    return choice_of(ir::ops::Matmul{}, {{dtype, {m, k}}, {dtype, {k, n}}}, facts);
  };
  const plan::KernelChoice wide = product(DType::f32, 2048, 512, 2048, modern());
  EXPECT_EQ(wide.name, "tiled_wide");
  EXPECT_EQ(wide.sums, (std::vector<Sum>{{.unit = SumUnit::either, .levels = {chain(0)}}}));
  const plan::KernelChoice tiled = product(DType::f32, 101, 101, 101, modern());
  EXPECT_EQ(tiled.name, "tiled");
  EXPECT_EQ(tiled.sums, (std::vector<Sum>{{.unit = SumUnit::either, .levels = {chain(256), chain(0)}}}));
  EXPECT_EQ(product(DType::f64, 101, 101, 101, modern()).sums.at(0).accumulator, DType::f64);
  EXPECT_EQ(product(DType::c64, 101, 101, 101, modern()).sums.at(0).accumulator, DType::f32);
  EXPECT_TRUE(product(DType::i32, 101, 101, 101, modern()).sums.empty());  // they wrap around
  const plan::KernelChoice vector = product(DType::f64, 100, 70, 1, modern());
  EXPECT_EQ(vector.name, "vector");
  EXPECT_EQ(vector.sums,
            (std::vector<Sum>{
                {.unit = SumUnit::either, .accumulator = DType::f64, .levels = {chain(256), chain(0), pairs(64)}}}));
}

TEST(Sums, OfProductsByPiecesOfAMatrix) {
  const auto column = [](DType dtype) {
    return choice_of(ir::ops::Matmul{}, {{dtype, {1024, 1024}}, {dtype, {1024, 1}}}, modern());
  };
  const ir::SumLevel subgroups{.count = 2, .take = SumTake::every, .join = SumJoin::chain};
  for (const auto& [dtype, terms] : {std::pair{DType::f32, 4}, {DType::f16, 8}}) {
    const plan::KernelChoice choice = column(dtype);
    EXPECT_EQ(choice.name, "vector_wide");
    const ir::SumLevel in_piece{.count = terms, .take = SumTake::every, .join = SumJoin::chain};
    EXPECT_EQ(choice.sums, (std::vector<Sum>{{.unit = SumUnit::either,
                                              .levels = {chain(0), in_piece, pairs(32), subgroups},
                                              .order = "shuffled_pieces"}}));
  }
}

TEST(Sums, OfProductsWithPackedWeights) {
  const auto few = [](ir::ops::PackedFormat format, std::int64_t rows, std::int64_t k, std::int64_t bytes) {
    device::DeviceFacts facts = testing::h200();
    return choice_of(ir::ops::DequantMatmul{.format = format}, {{DType::f32, {rows, k}}, {DType::u8, {4096, bytes}}},
                     facts);
  };
  const auto summed = [](std::int64_t lanes, std::int64_t parts, const std::string& order) {
    return std::vector<Sum>{
        {.unit = SumUnit::either,
         .levels = {chain(0), pairs(lanes), {.count = parts, .take = SumTake::every, .join = SumJoin::chain}},
         .order = order}};
  };
  using F = ir::ops::PackedFormat;
  EXPECT_EQ(few(F::q4_k, 1, 14336, 8064).name, "packed_vector");
  EXPECT_EQ(few(F::q4_k, 1, 14336, 8064).sums, summed(8, 7, "runs_of:64x1"));
  EXPECT_EQ(few(F::q6_k, 8, 14336, 11760).sums, summed(4, 4, "runs_of:16x4"));
  EXPECT_EQ(few(F::q8_0, 3, 4096, 4352).sums, summed(8, 8, "runs_of:32x1"));
  EXPECT_EQ(few(F::q8_0, 9, 4096, 4352).name, "packed8");
}

TEST(Sums, OfProductsInSlices) {
  const plan::KernelChoice split =
      choice_of(ir::ops::Gemm{.alpha = 2, .has_c = true},
                {{DType::f32, {64, 4096}}, {DType::f32, {4096, 64}}, {DType::f32, {64, 64}}}, modern());
  EXPECT_EQ(split.name, "tiled_wide_split8");
  EXPECT_EQ(split.tile, "64x64x16");
  const Sum sum{
      .unit = SumUnit::either, .levels = {chain(0), chain(8)}, .epilogue = {ir::SumStep::alpha, ir::SumStep::bias}};
  EXPECT_EQ(split.sums, std::vector<Sum>{sum});
}

TEST(Sums, OfProductsByMatrixUnits) {
  const ir::TensorTypes halves(2, {DType::f16, {512, 512}});
  const plan::KernelChoice choice = choice_of(ir::ops::Matmul{}, halves, testing::h200());
  EXPECT_EQ(choice.name, "coopmat_f16");
  EXPECT_EQ(choice.sums, (std::vector<Sum>{{.unit = SumUnit::matrix, .levels = {unit(16), chain(0)}}}));
  const ir::ops::Matmul in_f16{.output_dtype = DType::f32, .accumulator = DType::f16};
  EXPECT_EQ(choice_of(in_f16, halves, testing::h200()).sums,
            (std::vector<Sum>{{.unit = SumUnit::matrix, .accumulator = DType::f16, .levels = {unit(16), chain(0)}}}));
  device::DeviceFacts facts = modern();
  facts.bfloat16 = true;
  facts.cooperative_shapes.push_back({16, 16, 32, DType::bf16, DType::bf16, DType::f32, DType::f32});
  const ir::TensorTypes brains(2, {DType::bf16, {512, 512}});
  EXPECT_EQ(choice_of(ir::ops::Matmul{}, brains, facts).sums.at(0).levels,
            (std::vector<ir::SumLevel>{unit(32), chain(0)}));
}

TEST(Sums, OfSlicesByMatrixUnits) {
  const plan::KernelChoice split =
      choice_of(ir::ops::Matmul{}, {{DType::f16, {512, 4096}}, {DType::f16, {4096, 1024}}}, testing::h200());
  ASSERT_EQ(split.sums.size(), 1u);
  const std::int64_t slices = split.sums[0].levels.back().count;
  EXPECT_EQ(split.name, ir::cat("coopmat_f16_split", slices));
  EXPECT_EQ(split.sums[0].levels, (std::vector<ir::SumLevel>{unit(16), chain(0), chain(slices)}));
}

TEST(Sums, OfConvolutions) {
  const auto conv = [](DType dtype, const ir::Shape& x, const ir::Shape& w, std::int64_t stride) {
    const ir::ops::Conv op{.strides = {stride, stride}, .dilations = {}, .pads = {1, 1, 1, 1}};
    return choice_of(op, {{dtype, x}, {dtype, w}}, testing::h200());
  };
  const plan::KernelChoice patch = conv(DType::f16, {16, 64, 56, 56}, {64, 64, 3, 3}, 1);
  EXPECT_EQ(patch.sums,
            (std::vector<Sum>{{.unit = SumUnit::matrix, .levels = {unit(16), chain(0)}, .order = "taps_first:16"}}));
  const plan::KernelChoice strided = conv(DType::f16, {16, 64, 56, 56}, {64, 64, 3, 3}, 2);
  EXPECT_EQ(strided.sums, (std::vector<Sum>{{.unit = SumUnit::matrix, .levels = {unit(16), chain(0)}}}));
  EXPECT_EQ(conv(DType::f32, {16, 64, 56, 56}, {64, 64, 3, 3}, 1).sums,
            (std::vector<Sum>{{.unit = SumUnit::either, .levels = {chain(0)}}}));
  EXPECT_EQ(conv(DType::f64, {2, 8, 9, 9}, {8, 8, 3, 3}, 1).sums,
            (std::vector<Sum>{{.unit = SumUnit::either, .accumulator = DType::f64, .levels = {chain(256), chain(0)}}}));
}

TEST(Sums, OfAttention) {
  const ir::TensorType halves{DType::f16, {1, 8, 256, 64}}, singles{DType::f32, {1, 8, 256, 64}};
  const plan::KernelChoice converted = choice_of(ir::ops::Attention{}, {halves, halves, halves}, testing::h200());
  const ir::SumLevel in_unit{.count = 16, .take = SumTake::every, .join = SumJoin::unit};
  EXPECT_EQ(converted.name, "coopmat_f16_converted");
  EXPECT_EQ(converted.tile, "64x32");
  EXPECT_EQ(converted.sums, (std::vector<Sum>{{.of = ir::SumName::scores,
                                               .unit = SumUnit::matrix,
                                               .levels = {unit(16), chain(0)},
                                               .is_rounded = true,
                                               .epilogue = {ir::SumStep::scale}},
                                              {.of = ir::SumName::row_sum,
                                               .levels = {chain(0), in_unit},
                                               .order = "shuffled",
                                               .is_rounded = true,
                                               .rescale = 32},
                                              {.of = ir::SumName::values,
                                               .unit = SumUnit::matrix,
                                               .levels = {unit(16), chain(0)},
                                               .order = "in_parts",
                                               .epilogue = {ir::SumStep::division},
                                               .rescale = 32}}));
  const plan::KernelChoice wide = choice_of(ir::ops::Attention{}, {singles, singles, singles}, testing::h200());
  EXPECT_EQ(wide.name, "tiled_wide");
  EXPECT_EQ(wide.sums.at(0).levels, (std::vector<ir::SumLevel>{chain(0)}));
  EXPECT_EQ(wide.sums.at(1).levels, (std::vector<ir::SumLevel>{chain(0), pairs(16)}));
  EXPECT_EQ(wide.sums.at(2).rescale, 128);
  EXPECT_EQ(wide.sums.at(2).unit, SumUnit::either);
}

TEST(Sums, OfLines) {
  const auto sums = [](const ir::Op& op, const ir::TensorType& x) { return choice_of(op, {x}, modern()).sums; };
  EXPECT_EQ(sums(ir::ops::Reduce{.function = ir::ops::ReduceFunction::sum, .axes = {1}}, {DType::f32, {5000, 2047}}),
            (std::vector<Sum>{kept({.of = ir::SumName::sum, .levels = {chain(0), pairs(256)}})}));
  EXPECT_TRUE(
      sums(ir::ops::Reduce{.function = ir::ops::ReduceFunction::max, .axes = {1}}, {DType::f32, {50, 2047}}).empty());
  EXPECT_EQ(sums(ir::ops::Softmax{-1}, {DType::f32, {4096, 512}}),
            (std::vector<Sum>{{.of = ir::SumName::row_sum,
                               .levels = {chain(0), pairs(4), pairs(32)},
                               .order = "shuffled_pieces",
                               .is_rounded = true}}));
  const auto rms = sums(ir::ops::RmsNorm{.has_scale = false}, {DType::f32, {4096, 512}});
  ASSERT_EQ(rms.size(), 1u);
  EXPECT_EQ(rms[0].of, ir::SumName::squares);
  const auto norm = sums(ir::ops::LayerNorm{.has_scale = false, .has_bias = false}, {DType::f32, {4096, 512}});
  ASSERT_EQ(norm.size(), 2u);
  EXPECT_EQ(norm[0].of, ir::SumName::mean);
  EXPECT_EQ(norm[0].unit, SumUnit::separate);
  EXPECT_FALSE(norm[0].is_rounded);
  EXPECT_EQ(norm[1].of, ir::SumName::variance);
  EXPECT_EQ(norm[1].unit, SumUnit::either);
  EXPECT_EQ(norm[1].levels, (std::vector<ir::SumLevel>{chain(4), chain(0), pairs(32)}));
}

TEST(Sums, AreInThePlanForPeople) {
  ir::Graph graph;
  const ir::Value a = graph.input("a", {DType::f32, {101, 101}}), b = graph.input("b", {DType::f32, {101, 101}});
  graph.returns(graph.add("y", ir::ops::Matmul{}, {a, b}));
  const plan::Plan plan = plan::make_plan(graph, {graph.results()}, testing::h200(), {});
  EXPECT_EQ(plan.nodes.at(0).tile, "32x32x16");
  EXPECT_NE(plan::to_text(plan, graph).find("    adds product: either f32 [{256 run chain} {0 run chain}]\n"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::sums_test
