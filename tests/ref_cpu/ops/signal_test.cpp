// Convolutions of lines, spectrograms and periodograms on the CPU: the same bits for any number of threads, and sums
// that are added as they are published.
#include <gtest/gtest.h>

#include "ir/ops/causal_conv.hpp"
#include "ir/ops/convolve.hpp"
#include "ir/ops/log_mel.hpp"
#include "ir/ops/welch_peaks.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/settle/replay.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::signal_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::CausalActivation;
using ir::ops::CausalConv;

struct Case {
  ir::Op op;
  std::vector<Shape> operands;
};

/// More work than one thread is given at a time.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {CausalConv{CausalActivation::silu, true, true}, {{3, 17, 2011}, {17, 1, 5}, {17}, {3, 17, 4}}},
      {CausalConv{}, {{2, 5, 333}, {5, 1, 301}}},
      {ir::ops::Convolve{}, {{3, 5003}, {401}}},
      {ir::ops::Convolve{}, {{700, 9}, {31}}},
      {ir::ops::LogMel{}, {{3, 41, 65}, {37, 65}}},
      {ir::ops::LogMel{.maximum = ir::ops::MelMaximum::frame}, {{301, 65}, {37, 65}}},
      {ir::ops::WelchPeaks{.k = 7, .fft_length = 256}, {{40, 23, 129}}}};
  return all;
}

std::vector<Tensor> operands_of(const Case& one, DType dtype) {
  std::vector<Tensor> operands;
  for (const Shape& shape : one.operands)
    operands.push_back(testing::random_tensor({dtype, shape}, 3 + operands.size()));
  return operands;
}

TEST(Signal, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Case& one : cases())
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<Tensor> operands = operands_of(one, dtype);
      CpuExecutor alone({.threads = 1});
      const std::vector<Tensor> expected = ir::run_op(alone, one.op, operands);
      for (const int threads : {2, 7}) {
        CpuExecutor cpu({.threads = threads});
        const std::vector<Tensor> got = ir::run_op(cpu, one.op, operands);
        for (std::size_t k = 0; k < got.size(); ++k)
          EXPECT_TRUE(std::ranges::equal(got[k].bytes(), expected[k].bytes()))
              << one.op.name() << ", output " << k << ", " << threads << " threads";
      }
    }
}

/// Every element of the ops whose sums are bare is their replay, the bias added behind it.
TEST(Signal, AddsAsItIsPublished) {
  const std::vector<Case> bare = {
      {CausalConv{CausalActivation::none, true, true}, {{2, 3, 77}, {3, 1, 300}, {3}, {2, 3, 299}}},
      {CausalConv{}, {{1, 2, 50}, {2, 1, 4}}},
      {ir::ops::Convolve{}, {{2, 600}, {300}}},
      {ir::ops::Convolve{}, {{5, 7}, {20}}}};
  for (const Case& one : bare) {
    const std::vector<Tensor> operands = operands_of(one, DType::f32);
    CpuExecutor cpu;
    const auto [outputs, report] = ir::run_op_with_report(cpu, one.op, operands);
    ASSERT_EQ(report.sums.size(), 1u) << one.op.name();
    std::vector<Tensor> wide;
    for (const Tensor& x : operands) wide.push_back(ir::convert(x, DType::f64));
    std::vector<parity::element::terms::Operand> walked;
    for (const Tensor& x : wide) walked.push_back({x.as<double>(), x.shape()});
    const auto walker = parity::element::terms::find_walker(one.op, walked, outputs[0].shape()).value();
    for (std::int64_t i = 0; i < outputs[0].elements(); ++i) {
      parity::element::terms::ElementSum sum;
      walker(i, sum);
      std::vector<float> a, b;
      for (const auto& term : sum.terms) {
        a.push_back(static_cast<float>(term.a));
        b.push_back(static_cast<float>(term.b));
      }
      float made = parity::settle::replayed(a, b, report.sums[0], true).value();
      for (const auto& term : sum.added) made += static_cast<float>(term.value());
      ASSERT_EQ(made, outputs[0].as<float>()[static_cast<std::size_t>(i)]) << one.op.name() << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::signal_test
