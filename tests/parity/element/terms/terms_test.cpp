#include "parity/element/terms/terms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ir/op_list.hpp"
#include "ir/ops/affine_grid.hpp"
#include "ir/ops/causal_conv.hpp"
#include "ir/ops/col2im.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/convolve.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "ir/ops/lora_matmul.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/overlap_add.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/resize.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/scatter_add.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/passes/widen.hpp"
#include "parity/element/terms/recorded.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/element/terms/same_terms.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::element::terms::terms_test {
namespace {

namespace ops = ir::ops;

struct Sum {
  ir::Op op;
  std::vector<ir::Shape> operands;
  std::vector<std::int64_t> indices = {};  ///< operand `indexed` has these, repeated, instead of floats
  std::size_t indexed = 1;
};

std::vector<Sum> products() {
  return {{ops::Matmul{}, {{3, 7, 9}, {9, 5}}},
          {ops::Matmul{}, {{2, 1, 4, 3}, {5, 3, 2}}},
          {ops::Matmul{.transpose_a = true, .transpose_b = true, .output_dtype = {}}, {{9, 7}, {2, 5, 9}}},
          {ops::Matmul{}, {{2, 0}, {0, 3}}},
          {ops::Gemm{.alpha = 0.25, .beta = -1.5, .transpose_b = true, .has_c = true}, {{4, 9}, {6, 9}, {6}}},
          {ops::Gemm{.transpose_a = true, .has_c = true}, {{9, 4}, {9, 6}, {4, 1}}},
          {ops::Gemm{.alpha = 3}, {{4, 9}, {9, 6}}},
          {ops::DotGeneral{.a_batch = {1}, .b_batch = {0}, .a_contract = {2, 0}, .b_contract = {1, 3}},
           {{4, 2, 3, 5}, {2, 3, 6, 4}}},
          {ops::DotGeneral{.a_batch = {}, .b_batch = {}, .a_contract = {1}, .b_contract = {1}}, {{3, 7}, {2, 7}}},
          {ops::Einsum{"ij,jk->ik"}, {{3, 5}, {5, 4}}},
          {ops::Einsum{"...ij,...jk->...ik"}, {{2, 3, 5}, {1, 5, 4}}},
          {ops::Einsum{"bhqd,bkhd->bhqk"}, {{2, 3, 4, 5}, {2, 6, 3, 5}}},
          {ops::Einsum{"ii->i"}, {{4, 4}}},
          {ops::Einsum{"ijk->k"}, {{2, 3, 4}}},
          {ops::Einsum{"ij,ij"}, {{3, 4}, {3, 4}}},
          {ops::Einsum{"ij,jk,kl->il"}, {{3, 4}, {4, 5}, {5, 2}}},
          {ops::Einsum{"ij,jk->i"}, {{3, 4}, {4, 5}}},
          {ops::Einsum{"ai,ij,jb->ab"}, {{3, 4}, {4, 5}, {5, 2}}},
          {ops::Einsum{"ij,kj,lk,l->i"}, {{3, 4}, {5, 4}, {2, 5}, {2}}},
          {ops::Einsum{"xi,yi,zi->xyz"}, {{3, 4}, {2, 4}, {3, 4}}},
          {ops::Einsum{"i,j,k"}, {{3}, {4}, {2}}}};
}

std::vector<Sum> windows() {
  return {
      {ops::Conv{.strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 2, 1}, .group = 2, .has_bias = true},
       {{2, 4, 7, 9}, {6, 2, 3, 2}, {6}}},
      {ops::Conv{.strides = {}, .dilations = {}, .pads = {2, 2}, .group = 3}, {{1, 3, 8}, {3, 1, 5}}},
      {ops::ConvTranspose{.strides = {2, 3}, .dilations = {2, 1}, .pads = {1, 0, 0, 1}, .group = 2, .has_bias = true},
       {{2, 4, 3, 4}, {4, 3, 2, 3}, {6}}},
      {ops::ConvTranspose{.output_padding = {}}, {{1, 2, 5}, {2, 3, 3}}},
      {ops::Col2im{
           .image_shape = {5, 6}, .kernel_shape = {3, 2}, .strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 1, 2}},
       {{2, 12, 18}}},
      {ops::Col2im{.image_shape = {7}, .kernel_shape = {3}}, {{2, 3, 5}}},
      {ops::OverlapAdd{2, 14}, {{3, 5, 5}}},
      {ops::CausalConv{.has_bias = true, .has_state = true}, {{2, 3, 7}, {3, 1, 4}, {3}, {2, 3, 3}}},
      {ops::CausalConv{}, {{2, 3, 2}, {3, 1, 5}}},
      {ops::Convolve{}, {{3, 7}, {4}}},
      {ops::Convolve{}, {{5}, {9}}},
      {ops::OverlapAdd{4, 13}, {{3, 3}}},
      {ops::Pool{.function = ops::PoolFunction::sum,
                 .kernel_shape = {3, 2},
                 .strides = {2, 1},
                 .dilations = {1, 2},
                 .pads = {1, 0, 2, 1}},
       {{2, 3, 7, 8}}},
      {ops::Pool{.function = ops::PoolFunction::average,
                 .kernel_shape = {3, 3},
                 .strides = {2, 2},
                 .pads = {1, 1, 1, 1},
                 .ceil_mode = true,
                 .count_include_pad = true},
       {{1, 2, 6, 8}}},
      {ops::Pool{.function = ops::PoolFunction::average, .kernel_shape = {4}, .strides = {3}, .pads = {2, 1}},
       {{2, 2, 11}}}};
}

std::vector<Sum> resampled() {
  return {
      {ops::Resize{.axes = {2, 3}, .sizes = {7, 9}, .mode = ops::ResizeMode::cubic}, {{1, 2, 4, 5}}},
      {ops::Resize{.axes = {-1}, .sizes = {3}, .mode = ops::ResizeMode::linear, .antialias = true}, {{2, 8}}},
      {ops::Resize{.axes = {1, 0},
                   .sizes = {6, 5},
                   .mode = ops::ResizeMode::cubic,
                   .coordinate = ops::ResizeCoordinate::align_corners,
                   .exclude_outside = true},
       {{4, 3}}},
      {ops::Resize{.axes = {1},
                   .sizes = {9},
                   .mode = ops::ResizeMode::linear,
                   .coordinate = ops::ResizeCoordinate::tf_crop_and_resize,
                   .roi = {-0.25, 0.75},
                   .extrapolation_value = 2.5},
       {{2, 6}}},
      {ops::Resize{.axes = {1},
                   .sizes = {4},
                   .scales = {0.6},
                   .mode = ops::ResizeMode::linear,
                   .coordinate = ops::ResizeCoordinate::half_pixel_symmetric},
       {{2, 7}}},
      {ops::Resize{.axes = {0},
                   .sizes = {1},
                   .mode = ops::ResizeMode::linear,
                   .coordinate = ops::ResizeCoordinate::pytorch_half_pixel},
       {{5, 2}}},
      {ops::Resize{
           .axes = {0}, .sizes = {9}, .mode = ops::ResizeMode::linear, .coordinate = ops::ResizeCoordinate::asymmetric},
       {{5, 2}}},
      {ops::GridSample{}, {{2, 3, 5, 7}, {2, 4, 3, 2}}},
      {ops::GridSample{ops::SampleMode::cubic, ops::SamplePadding::reflection}, {{2, 3, 5, 7}, {2, 4, 3, 2}}},
      {ops::GridSample{ops::SampleMode::cubic, ops::SamplePadding::zeros, true}, {{2, 3, 5}, {2, 4, 1}}},
      {ops::GridSample{ops::SampleMode::linear, ops::SamplePadding::reflection, true},
       {{1, 1, 4, 3, 5}, {1, 2, 2, 3, 3}}},
      {ops::GridSample{ops::SampleMode::linear, ops::SamplePadding::border}, {{1, 2, 6}, {1, 8, 1}}}};
}

std::vector<Sum> others() {
  return {
      {ops::Reduce{ops::ReduceFunction::sum, {1}, false}, {{3, 50, 2}}},
      {ops::Reduce{ops::ReduceFunction::mean, {0, 2}, true}, {{3, 5, 11}}},
      {ops::Reduce{ops::ReduceFunction::l1, {0, 1}, false}, {{3, 5}}},
      {ops::Reduce{ops::ReduceFunction::sum_square, {2}, true}, {{3, 5, 4}}},
      {ops::Cumulative{.axis = 1}, {{2, 5, 3}}},
      {ops::Cumulative{.axis = 0, .exclusive = true}, {{7, 2}}},
      {ops::Cumulative{.axis = -1, .exclusive = true, .reverse = true}, {{3, 6}}},
      {ops::Cumulative{.axis = -1, .reverse = true}, {{3, 6}}},
      {ops::LoraMatmul{}, {{2, 3, 5}, {5, 4}, {5, 2}, {2, 4}}},
      {ops::LoraMatmul{0.25}, {{5}, {5, 3}, {5, 3}, {3, 3}}},
      {ops::LoraMatmul{}, {{4, 5}, {5, 3}, {5, 0}, {0, 3}}},
      {ops::GroupedMatmul{}, {{5, 7}, {3, 7, 4}, {5}}, {0, 2, -1, 2, 1}, 2},
      {ops::GroupedMatmul{.transpose_w = true, .has_bias = true}, {{4, 3}, {2, 5, 3}, {4}, {2, 5}}, {1, -1, 0, 0}, 2},
      {ops::Rope{}, {{2, 3, 4, 6}, {9, 3}, {9, 3}}},
      {ops::Rope{.layout = ops::RopeLayout::bshd, .interleaved = true, .rotary_dim = 4, .inverse = true, .offset = 2},
       {{2, 3, 4, 6}, {9, 2}, {9, 2}}},
      {ops::Rope{}, {{2, 3, 4, 6}, {2, 4, 3}, {2, 4, 3}}},
      {ops::Rope{.has_positions = true}, {{2, 3, 4, 6}, {9, 3}, {9, 3}, {2, 4}}, {8, 0, 3, 5, 5}, 3},
      {ops::Rope{.layout = ops::RopeLayout::bshd, .has_positions = true},
       {{2, 3, 4, 6}, {9, 3}, {9, 3}, {3}},
       {7, 0, 2},
       3},
      {ops::AffineGrid{.output_shape = {3, 5}}, {{2, 2, 3}}},
      {ops::AffineGrid{.output_shape = {3, 1, 4}, .align_corners = true}, {{2, 3, 4}}},
      {ops::ScatterAdd{.axis = 1, .size = 5}, {{2, 3, 4, 2}, {3, 4}}, {0, -1, 2, 2, 3, -5, 0}},
      {ops::ScatterElements{.axis = 1, .reduction = ir::kernels::ScatterReduction::add},
       {{3, 5}, {2, 7}, {2, 7}},
       {0, -1, 2, 2, 3}},
      {ops::ScatterNd{.reduction = ir::kernels::ScatterReduction::add},
       {{3, 5, 2}, {7, 2}, {7, 2}},
       {0, -1, 2, 2, 0, 1, 1}}};
}

std::vector<Sum> walked() {
  std::vector<Sum> all;
  for (auto part : {products(), windows(), resampled(), others()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Walked terms, added up in f64, are what the op gives in f64, which adds in an order of its own.
TEST(Terms, AreTheDefinitionsOfTheirOps) {
  std::set<const ir::OpSchema*> seen;
  for (const auto& [op, shapes, indices, indexed] : walked()) {
    seen.insert(&op.schema());
    std::vector<ir::Tensor> wide;
    std::vector<Operand> operands;
    for (const ir::Shape& shape : shapes)
      wide.push_back(testing::random_tensor({ir::DType::f64, shape}, 7 + wide.size()));
    std::vector<ir::Tensor> given = wide;
    if (!indices.empty()) {
      ir::Tensor& x = wide[indexed];
      for (std::size_t i = 0; i < x.as<double>().size(); ++i)
        x.as<double>()[i] = static_cast<double>(indices[i % indices.size()]);
      given[indexed] = ir::convert(x, ir::DType::i64);
    }
    for (const ir::Tensor& x : wide) operands.push_back({x.as<double>(), x.shape()});
    ref_cpu::CpuExecutor cpu;
    const ir::Tensor y = ir::run_op(cpu, op, given).at(0);
    const auto walker = find_walker(op, operands, y.shape());
    ASSERT_TRUE(walker) << op.name();
    const auto recorded = can_be_recorded(op) ? recorded_walker(op, operands, y.shape()) : std::nullopt;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      ElementSum sum;
      (*walker)(i, sum);
      if (recorded) {
        ElementSum by_program;
        (*recorded)(i, by_program);
        EXPECT_EQ(difference(op, sum, by_program), "") << op.name() << ' ' << i;
      }
      double found = 0, sizes = 0;
      for (const Product& term : sum.terms) {
        found += term.value();
        sizes += std::abs(term.value());
      }
      found = found * sum.scale / sum.divisor;
      for (const Product& term : sum.added) {
        found += term.value();
        sizes += std::abs(term.value());
      }
      EXPECT_NEAR(found, y.as<double>()[static_cast<std::size_t>(i)], 1e-14 * (1 + 4 * sizes)) << op.name() << ' ' << i;
    }
  }
  for (const ir::OpSchema* op : walked_ops()) EXPECT_TRUE(seen.contains(op)) << op->name << " has no case here";
}

/// The weights of taps that are found by hand are the derivatives of the element program.
TEST(Terms, OfResampledImagesHaveTheWeightsOfTheProgram) {
  for (const auto& [op, shapes, indices, indexed] : resampled()) {
    std::vector<ir::Tensor> wide;
    std::vector<Operand> operands;
    for (const ir::Shape& shape : shapes)
      wide.push_back(testing::random_tensor({ir::DType::f64, shape}, 7 + wide.size()));
    for (const ir::Tensor& x : wide) operands.push_back({x.as<double>(), x.shape()});
    ref_cpu::CpuExecutor cpu;
    const ir::Shape y = ir::run_op(cpu, op, wide).at(0).shape();
    const auto walker = find_walker(op, operands, y);
    const Program program(op, operands, y);
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      ElementSum sum;
      (*walker)(i, sum);
      std::map<double, double> weights;  // by the numbers of the image, which are all different
      for (const Product& term : sum.terms) weights[term.b] += term.a;
      Tape tape;
      const Real made = program.record(tape, i);
      if (made.step == 0) continue;  // beside the image
      const std::vector<double> by = tape.adjoints(made.step);
      for (std::uint32_t at = 1; at < by.size(); ++at)
        if (tape[at].kind == Step::Kind::operand && tape[at].a == 0) weights[tape[at].value] -= by[at];
      for (const auto& [x, difference] : weights) EXPECT_NEAR(difference, 0, 1e-12) << op.name() << ' ' << i;
    }
  }
}

/// Where a factor is a sum, it is said what that is made of.
TEST(Terms, OfSeveralSumsInARowHaveInnerOnes) {
  const std::vector<double> x(60, 1.0);
  const std::vector<Operand> three = {{x, {3, 4}}, {x, {4, 5}}, {x, {5, 2}}}, two = {{x, {3, 4}}, {x, {4, 5}}};
  ElementSum sum;
  (*find_walker(ops::Einsum{"ij,jk,kl->il"}, three, {3, 2}))(0, sum);
  ASSERT_EQ(sum.terms.size(), 5u);
  ASSERT_EQ(sum.inner.size(), 5u);
  EXPECT_EQ(sum.inner[0].terms.size(), 4u);
  EXPECT_TRUE(sum.is_rounded);
  ElementSum alone;
  (*find_walker(ops::Einsum{"ij,jk->i"}, two, {3}))(0, alone);
  EXPECT_EQ(alone.terms.size(), 4u);
  EXPECT_EQ(alone.inner.at(0).terms.size(), 5u);
  EXPECT_FALSE(find_walker(ops::Reduce{ops::ReduceFunction::max, {0}, true}, two, {1, 4}));
}

/// A tap of weight 0 is absent, whatever it is.
TEST(Terms, OfWeightZeroAreAbsent) {
  std::vector<double> x(4, 1.0);
  x[2] = std::numeric_limits<double>::infinity();
  ElementSum sum;
  const std::vector<Operand> operands = {{x, {4}}};
  const ops::Resize same{.axes = {0}, .sizes = {4}, .mode = ops::ResizeMode::cubic};
  (*find_walker(same, operands, {4}))(1, sum);
  ASSERT_EQ(sum.terms.size(), 1u);
  EXPECT_EQ(sum.terms[0].value(), 1);
}

/// Neighbours have the terms that each has by itself, and are refused beyond the end of a row.
TEST(Terms, NeighboursHaveTheTermsOfEach) {
  constexpr auto abreast = static_cast<std::int64_t>(Neighbours::count);
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const ops::Matmul op{.transpose_a = transpose_a, .transpose_b = transpose_b, .output_dtype = {}};
      const ir::Shape a = transpose_a ? ir::Shape{3, 1, 6, 4} : ir::Shape{3, 1, 4, 6};
      const ir::Shape b = transpose_b ? ir::Shape{2, 19, 6} : ir::Shape{2, 6, 19};
      std::vector<double> of_a(static_cast<std::size_t>(a.elements())), of_b(static_cast<std::size_t>(b.elements()));
      for (std::size_t i = 0; i < of_a.size(); ++i) of_a[i] = static_cast<double>(i) + 1;
      for (std::size_t i = 0; i < of_b.size(); ++i) of_b[i] = 0.5 - static_cast<double>(i);
      const ir::Shape y{3, 2, 4, 19};
      const Operand operands[] = {{of_a, a}, {of_b, b}};
      const auto walker = find_walker(op, operands, y);
      ASSERT_TRUE(walker);
      for (std::int64_t first = 0; first + abreast <= y.elements(); ++first) {
        Neighbours found;
        ASSERT_EQ(walker->neighbours(first, found), first % 19 + abreast <= 19) << first;
        if (first % 19 + abreast > 19) continue;
        for (std::int64_t l = 0; l < abreast; ++l) {
          ElementSum sum;
          (*walker)(first + l, sum);
          ASSERT_EQ(sum.terms.size(), found.row.size());
          for (std::size_t k = 0; k < sum.terms.size(); ++k) {
            EXPECT_EQ(sum.terms[k].a, found.row[k]);
            EXPECT_EQ(sum.terms[k].b, found.columns[k * Neighbours::count + static_cast<std::size_t>(l)]);
          }
        }
      }
    }
}

}  // namespace
}  // namespace plumb::parity::element::terms::terms_test
