// The relations of transforms hold for honest ones, and each finds a fault of its own.
#include "parity/checks/relations/transforms.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <set>

#include "ir/ops/fft.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/rfft.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::checks::relations::transforms_test {
namespace {

using ir::Tensor;
using Found = std::vector<cases::RelationResult>;

/// Does something to what an op gave.
using Spoil = std::function<void(const ir::Op&, const Tensor& x, Tensor& y)>;

Found check(
    const ir::Op& op, const Tensor& x, const Spoil& spoil = [](const ir::Op&, const Tensor&, Tensor&) {}) {
  ref_cpu::CpuExecutor cpu;
  const auto run = [&](const ir::Op& of, const Tensor& on) -> std::optional<Tensor> {
    Tensor y = ir::run_op(cpu, of, {on}).front();
    spoil(of, on, y);
    return y;
  };
  const Tensor y = *run(op, x);
  const ir::TensorTypes in = {x.type()}, out = {y.type()};
  const Symmetries declared = symmetries_of(op, in, out);
  return check_transform({op, x, y, run}, declared.transform.value(), {});
}

std::set<std::string> broken(const Found& results) {
  std::set<std::string> names;
  for (const cases::RelationResult& one : results)
    if (one.verdict != core::Verdict::passed) names.insert(std::string(ir::enum_name(one.relation)));
  return names;
}

using Names = std::set<std::string>;

TEST(TransformRelations, HoldOfHonestTransforms) {
  using ir::kernels::FourierNorm;
  for (const FourierNorm norm : {FourierNorm::backward, FourierNorm::ortho, FourierNorm::forward})
    for (const std::int64_t n : {1, 2, 3, 8, 13, 60, 97}) {
      for (const ir::DType dtype : {ir::DType::c64, ir::DType::c128})
        for (const bool inverse : {false, true}) {
          const Found found = check(ir::ops::Fft{1, inverse, norm}, testing::random_tensor({dtype, {2, n, 3}}, 7));
          EXPECT_EQ(broken(found), Names{}) << n << ' ' << dtype;
          EXPECT_EQ(found.size(), n == 1 ? 3u : 4u);
        }
      for (const ir::DType dtype : {ir::DType::f32, ir::DType::f64})
        EXPECT_EQ(broken(check(ir::ops::Rfft{1, norm}, testing::random_tensor({dtype, {2, n, 3}}, 8))), Names{}) << n;
      for (const ir::DType dtype : {ir::DType::c64, ir::DType::c128}) {
        const Found found = check(ir::ops::Irfft{n, 1, norm}, testing::random_tensor({dtype, {2, n / 2 + 1, 3}}, 9));
        EXPECT_EQ(broken(found), Names{}) << n << ' ' << dtype;
        EXPECT_EQ(found.size(), n % 2 == 0 ? 4u : 3u) << "a shift by half a line";
      }
    }
}

/// Multiplies bins of forward transforms.
Spoil of_bins(std::function<std::complex<float>(std::size_t bin)> factor) {
  return [factor = std::move(factor)](const ir::Op& op, const Tensor&, Tensor& y) {
    if (op.as<ir::ops::Fft>().inverse) return;
    const auto numbers = y.as<std::complex<float>>();
    const auto n = static_cast<std::size_t>(y.shape()[1]);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= factor(i % n);
  };
}

const ir::Op forward = ir::ops::Fft{};
Tensor numbers() { return testing::random_tensor({ir::DType::c64, {2, 24}}, 5); }

TEST(TransformRelations, AScaleThatIsOffChangesLengths) {
  EXPECT_EQ(broken(check(forward, numbers(), of_bins([](std::size_t) { return 1 + 0x1p-16f; }))),
            (Names{"parseval", "round_trip"}));
}

TEST(TransformRelations, AWrongPhaseIsSeenByTheShiftOrOnTheWayBack) {
  const auto conjugated = [](const ir::Op& op, const Tensor&, Tensor& y) {
    if (op.as<ir::ops::Fft>().inverse) return;
    for (auto& one : y.as<std::complex<float>>()) one = std::conj(one);
  };
  EXPECT_EQ(broken(check(forward, numbers(), conjugated)), (Names{"shift", "round_trip"}));
  const auto turned = of_bins([](std::size_t bin) { return bin == 5 ? std::complex<float>(0, 1) : 1; });
  EXPECT_EQ(broken(check(forward, numbers(), turned)), Names{"round_trip"});
}

TEST(TransformRelations, WhatIsNoSumIsSeenByTheParts) {
  const auto bent = [](const ir::Op& op, const Tensor&, Tensor& y) {
    if (op.as<ir::ops::Fft>().inverse) return;
    for (auto& one : y.as<std::complex<float>>()) one *= 1 + 1e-3f * std::abs(one);
  };
  EXPECT_TRUE(broken(check(forward, numbers(), bent)).contains("linearity"));
}

TEST(TransformRelations, HoldWhateverIsIgnored) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t n : {2, 8, 12}) {
    Tensor x = testing::random_tensor({ir::DType::c64, {2, n / 2 + 1}}, 3);
    const auto bins = x.as<std::complex<float>>();
    bins.front().imag(nan);
    bins.back().imag(nan);
    const Found found = check(ir::ops::Irfft{n}, x);
    EXPECT_EQ(broken(found), Names{}) << n;
    EXPECT_EQ(found.size(), 4u) << n;
    for (const cases::RelationResult& one : found) EXPECT_EQ(one.n, 2u) << ir::enum_name(one.relation);
  }
}

TEST(TransformRelations, LinesThatAreNotFiniteAreLeftOut) {
  Tensor x = numbers();
  x.as<std::complex<float>>()[3] = std::numeric_limits<float>::infinity();
  for (const cases::RelationResult& one : check(forward, x)) {
    EXPECT_EQ(one.n, 1u);
    EXPECT_EQ(one.verdict, core::Verdict::passed) << one.why;
  }
}

}  // namespace
}  // namespace plumb::parity::checks::relations::transforms_test
