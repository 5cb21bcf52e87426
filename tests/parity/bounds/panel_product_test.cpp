// Limits of products with packed weights are those of the formulas, whether the weights are there in f64 or some rows
// of them at a time.
#include "parity/bounds/panel_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/kernels/packed/fill.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dequantize.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "library/reference.hpp"
#include "parity/bounds/bounded.hpp"

namespace plumb::parity::panel_product_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::PackedFormat;

Tensor drawn(const ir::TensorType& type, std::uint64_t stream) {
  return ir::fill(type, ir::default_fill(type.dtype), 3, stream);
}

Tensor packed(PackedFormat format, const ir::Shape& shape) {
  return ir::kernels::packed::fill({DType::u8, shape}, format, 3, 7);
}

/// The limits of an op on these operands by both ways of making them.
void compare_limits(const ir::Op& op, const std::vector<Tensor>& operands, const bounds::Manner& manner) {
  ir::Graph graph;
  std::vector<ir::Value> in;
  for (const Tensor& one : operands) in.push_back(graph.input(ir::cat("x", in.size()), one.type()));
  graph.add("y", op, in);
  const auto segment = core::segment_of(graph, 0);
  const auto fed = [&](ir::Value v) { return ir::passes::widen(operands.at(v)); };
  ref_cpu::CpuExecutor by_panels = library::reference_executor(), as_a_whole;
  const auto found = bounds::evaluate_bounded(by_panels, segment, fed, manner),
             wanted = bounds::evaluate_bounded(as_a_whole, segment, fed, manner);
  const auto expect_equal = [](const Tensor& one, const Tensor& other) {
    const auto a = one.as<double>(), b = other.as<double>();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12 * std::abs(b[i])) << i;
  };
  ASSERT_TRUE(wanted.allowed[0].limits != nullptr);
  expect_equal(found.truth.outputs[0], wanted.truth.outputs[0]);
  expect_equal(found.allowed[0].limits->probable, wanted.allowed[0].limits->probable);
  expect_equal(found.allowed[0].limits->certain, wanted.allowed[0].limits->certain);
  expect_equal(found.uncertainty[0].limits->probable, wanted.uncertainty[0].limits->probable);
}

TEST(PanelProduct, HasTheLimitsOfTheFormulas) {
  const Tensor x = drawn({DType::f32, {3, 512}}, 1), bias = drawn({DType::f32, {70}}, 2);
  const auto codes = [](PackedFormat format) {
    const auto block = ir::kernels::packed::layout(format);
    return packed(format, {70, 512 / block.elements * block.bytes});
  };
  for (const bool is_foreign : {false, true})  // sums of codes and of offsets apart
    for (const PackedFormat format : {PackedFormat::q4_k, PackedFormat::q8_0, PackedFormat::q6_k}) {
      SCOPED_TRACE(ir::enum_name(format));
      compare_limits(ir::ops::DequantMatmul{.format = format, .has_bias = true}, {x, codes(format), bias},
                     {.arithmetic = {.is_foreign = is_foreign}, .flushes_subnormals = true});
    }
  compare_limits(ir::ops::DequantMatmul{.format = PackedFormat::q5_k, .weight_dtype = ir::ops::WeightDtype::bf16},
                 {x, codes(PackedFormat::q5_k)}, {});
}

TEST(PanelProduct, HasTheLimitsOfScalesAndZeroPointsBesideCodes) {
  const ir::ops::DequantMatmul op{
      .format = PackedFormat::uint8, .block_size = 32, .has_scales = true, .has_zero_points = true};
  Tensor codes({DType::u8, {5, 96}});
  for (std::size_t i = 0; i < codes.as<std::uint8_t>().size(); ++i)
    codes.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 37);
  for (const bool is_foreign : {false, true})
    compare_limits(
        op, {drawn({DType::f32, {2, 96}}, 1), codes, drawn({DType::f32, {5, 3}}, 2), drawn({DType::f32, {5, 3}}, 3)},
        {.arithmetic = {.is_foreign = is_foreign}});
}

TEST(PanelProduct, HasTheLimitsOfExperts) {
  const Tensor codes = packed(PackedFormat::q4_0, {3, 9, 36});
  compare_limits(ir::ops::DequantGroupedMatmul{.format = PackedFormat::q4_0},
                 {drawn({DType::f32, {4, 64}}, 1), codes, Tensor::of<std::int32_t>({4}, {2, -1, 0, 2})}, {});
}

/// Nobody reads the weights that are there as a whole: the product has their packed operands.
TEST(PanelProduct, TakesThePlaceOfAProductWithTheWholeOfTheWeights) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {DType::f64, {2, 64}}), codes = graph.input("codes", {DType::u8, {5, 36}});
  const ir::Value w = graph.add("w", ir::ops::Dequantize{PackedFormat::q4_0, DType::f64}, {codes});
  const ir::Value size = graph.add("size", ir::ops::Unary{ir::ops::UnaryFunction::abs}, {w});
  const ir::Value y = graph.add("y", ir::ops::Matmul{false, true, {}}, {x, size});
  graph.returns(y);
  const ref_cpu::CpuExecutor cpu = library::reference_executor(), plain;
  const ir::Graph made = bounds::with_panel_products(cpu, graph);
  const ir::Node& product = made.nodes()[*made.producer(y)];
  EXPECT_EQ(product.inputs, (std::vector<ir::Value>{x, codes}));
  EXPECT_EQ(product.op.as<bounds::PanelProduct>().part, bounds::PanelPart::magnitude);
  const ir::Graph kept = bounds::with_panel_products(plain, graph);
  EXPECT_TRUE(kept.nodes()[*kept.producer(y)].op.is<ir::ops::Matmul>());
}

}  // namespace
}  // namespace plumb::parity::panel_product_test
