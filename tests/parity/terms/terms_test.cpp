#include "parity/terms/terms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ir/op_list.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/passes/widen.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::terms::terms_test {
namespace {

namespace ops = ir::ops;

struct Sum {
  ir::Op op;
  std::vector<ir::Shape> operands;
};

std::vector<Sum> walked() {
  return {
      {ops::Matmul{}, {{3, 7, 9}, {9, 5}}},
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
      {ops::Conv{.strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 2, 1}, .group = 2, .has_bias = true},
       {{2, 4, 7, 9}, {6, 2, 3, 2}, {6}}},
      {ops::Conv{.strides = {}, .dilations = {}, .pads = {2, 2}, .group = 3}, {{1, 3, 8}, {3, 1, 5}}},
      {ops::ConvTranspose{.strides = {2, 3}, .dilations = {2, 1}, .pads = {1, 0, 0, 1}, .group = 2, .has_bias = true},
       {{2, 4, 3, 4}, {4, 3, 2, 3}, {6}}},
      {ops::ConvTranspose{.output_padding = {}}, {{1, 2, 5}, {2, 3, 3}}},
      {ops::Reduce{ops::ReduceFunction::sum, {1}, false}, {{3, 50, 2}}},
      {ops::Reduce{ops::ReduceFunction::mean, {0, 2}, true}, {{3, 5, 11}}},
      {ops::Reduce{ops::ReduceFunction::l1, {0, 1}, false}, {{3, 5}}},
      {ops::Reduce{ops::ReduceFunction::sum_square, {2}, true}, {{3, 5, 4}}}};
}

/// Walked terms, added up in f64, are what the op gives in f64, which adds in an order of its own.
TEST(Terms, AreTheDefinitionsOfTheirOps) {
  std::set<const ir::OpSchema*> seen;
  for (const auto& [op, shapes] : walked()) {
    seen.insert(&op.schema());
    std::vector<ir::Tensor> wide;
    std::vector<Operand> operands;
    for (const ir::Shape& shape : shapes)
      wide.push_back(testing::random_tensor({ir::DType::f64, shape}, 7 + wide.size()));
    for (const ir::Tensor& x : wide) operands.push_back({x.as<double>(), x.shape()});
    ref_cpu::CpuExecutor cpu;
    const ir::Tensor y = ir::run_op(cpu, op, wide).at(0);
    const auto walker = find_walker(op, operands, y.shape());
    ASSERT_TRUE(walker) << op.name();
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      ElementSum sum;
      (*walker)(i, sum);
      double found = 0, sizes = 0;
      for (const Product& term : sum.terms) found += term.value(), sizes += std::abs(term.value());
      found = found * sum.scale / sum.divisor;
      for (const Product& term : sum.added) found += term.value(), sizes += std::abs(term.value());
      EXPECT_NEAR(found, y.as<double>()[static_cast<std::size_t>(i)], 1e-14 * (1 + 4 * sizes)) << op.name() << ' ' << i;
    }
  }
  for (const ir::OpSchema* op : walked_ops()) EXPECT_TRUE(seen.contains(op)) << op->name << " has no case here";
}

TEST(Terms, OfSeveralSumsInARowAreNotWalked) {
  const std::vector<double> x(60, 1.0);
  const std::vector<Operand> three = {{x, {3, 4}}, {x, {4, 5}}, {x, {5, 2}}}, two = {{x, {3, 4}}, {x, {4, 5}}};
  EXPECT_FALSE(find_walker(ops::Einsum{"ij,jk,kl->il"}, three, {3, 2}));
  EXPECT_FALSE(find_walker(ops::Einsum{"ij,jk->i"}, two, {3}));
  EXPECT_FALSE(find_walker(ops::Reduce{ops::ReduceFunction::max, {0}, true}, two, {1, 4}));
}

}  // namespace
}  // namespace plumb::parity::terms::terms_test
