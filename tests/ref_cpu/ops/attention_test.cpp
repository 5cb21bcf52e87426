#include "ir/ops/attention.hpp"

#include <gtest/gtest.h>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/attention_cases.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::attention_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Attention;

class CpuAttention : public ::testing::TestWithParam<tests::AttentionCase> {};

TEST_P(CpuAttention, IsTheDefinitionInF64) {
  const auto operands = tests::operands_of(GetParam(), DType::f64);
  plumb::testing::check_cpu(GetParam().op, operands, {tests::attention_by_definition(GetParam().op, operands)});
}

INSTANTIATE_TEST_SUITE_P(, CpuAttention, ::testing::ValuesIn(tests::attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

std::vector<std::byte> bytes_of(const Attention& op, const std::vector<Tensor>& operands, int threads) {
  CpuExecutor cpu({.threads = threads});
  const Tensor y = ir::run_op(cpu, op, operands)[0];
  return {y.bytes().begin(), y.bytes().end()};
}

TEST(CpuAttentionThreads, DoNotChangeABit) {
  const tests::AttentionCase c{"", {3, 4, 2, 131, 257, 25, 30}, {.causal = true}};
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const auto operands = tests::operands_of(c, dtype);
    const auto one = bytes_of(c.op, operands, 1);
    for (const int threads : {2, 7, 16}) EXPECT_EQ(bytes_of(c.op, operands, threads), one) << threads;
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::attention_test
