#include "parity/profile/probe/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/parity/suspect.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile::probe::functions_test {
namespace {

using ir::ops::UnaryFunction;

constexpr profile::SubnormalHandling kept = {ir::DType::f32, profile::Subnormals::kept, profile::Subnormals::kept};

TEST(ProbeFunctions, TryEveryNumberOf16BitsAndAllKindsOf32) {
  EXPECT_EQ(profile::probe::function_operands(ir::DType::f16).size(), 65536u - 2048u);
  EXPECT_EQ(profile::probe::function_operands(ir::DType::bf16).size(), 65536u - 256u);
  const auto f32 = profile::probe::function_operands(ir::DType::f32);
  const std::set<double> all(f32.begin(), f32.end());
  for (const double x : {0.0, 1.0, 0.5, -2.5, 0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1.921fb6p0, 88.72283935546875})
    EXPECT_TRUE(all.contains(x)) << x;
  for (const double x : f32) ASSERT_EQ(static_cast<double>(static_cast<float>(x)), x);
}

/// The error that is found of sqrt, in ulps, on a device that gives `at_2_25` at 2.25.
double ulps_of_sqrt(float at_2_25) {
  testing::Suspect executor;
  executor.tamper = [&](const ir::Node&, ir::Tensor& y) {
    for (float& x : y.as<float>())
      if (x == 1.5f) x = at_2_25;
  };
  ref_cpu::CpuExecutor reference;
  const auto found =
      profile::probe::probe_function(executor, false, reference, UnaryFunction::sqrt, kept, {1, 2.25, 4, 9});
  EXPECT_EQ(found->at, at_2_25 == 1.5f ? 0 : 2.25);
  EXPECT_EQ(found->samples, 4);
  return found->max_ulp;
}

TEST(ProbeFunctions, SayTheWorstErrorAndWhereItIs) {
  EXPECT_EQ(ulps_of_sqrt(1.5f), 0);
  EXPECT_EQ(ulps_of_sqrt(1.5f - 0x1p-22f), 2);
  EXPECT_EQ(ulps_of_sqrt(std::nanf("")), INFINITY);
  EXPECT_EQ(ulps_of_sqrt(INFINITY), INFINITY);
}

TEST(ProbeFunctions, DoNotAskForSubnormalsThatAreFlushed) {
  const profile::SubnormalHandling flushed = {ir::DType::f32, profile::Subnormals::flushed,
                                              profile::Subnormals::flushed};
  testing::EmulatedDevice executor({.subnormals = {flushed}});
  ref_cpu::CpuExecutor reference;
  const auto probed = [&](const profile::SubnormalHandling& handling) {
    return profile::probe::probe_function(executor, false, reference, UnaryFunction::square, handling,
                                          {0x1p-140, 0x1p-70, 3});
  };
  EXPECT_EQ(probed(flushed)->max_ulp, 0);
  EXPECT_EQ(probed(flushed)->samples, 1);
  EXPECT_EQ(probed(kept)->max_ulp, 0x1p9);  // none from 2^-140 squared, which vanishes; 2^9 places from 2^-140
}

}  // namespace
}  // namespace plumb::parity::profile::probe::functions_test
