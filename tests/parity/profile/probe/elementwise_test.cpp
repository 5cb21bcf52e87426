#include "parity/profile/probe/elementwise.hpp"

#include <gtest/gtest.h>

#include "tests/parity/suspect.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile::probe::elementwise_test {
namespace {

constexpr std::array dtypes = {ir::DType::f16, ir::DType::bf16, ir::DType::f32, ir::DType::f64};

TEST(ProbeElementwise, SeesWhatIsFlushed) {
  for (const ir::DType dtype : dtypes)
    for (const profile::Subnormals in : {profile::Subnormals::kept, profile::Subnormals::flushed})
      for (const profile::Subnormals out : {profile::Subnormals::kept, profile::Subnormals::flushed}) {
        const profile::SubnormalHandling handling{dtype, in, out};
        testing::EmulatedDevice executor({.subnormals = {handling}});
        EXPECT_EQ(profile::probe::probe_subnormals(executor, false, dtype), handling) << dtype;
      }
}

TEST(ProbeElementwise, SeesHowOftenFmaRounds) {
  for (const ir::DType dtype : dtypes)
    for (const profile::FmaKind kind : {profile::FmaKind::fused, profile::FmaKind::separate}) {
      testing::EmulatedDevice executor({.fma = {{dtype, kind}}});
      EXPECT_EQ(profile::probe::probe_fma(executor, false, dtype), (profile::FmaHandling{dtype, kind})) << dtype;
    }
}

TEST(ProbeElementwise, OfAHostInPlaceOfTheDeviceSaysNothing) {
  testing::Suspect executor;
  executor.on_host = {"y"};
  EXPECT_FALSE(profile::probe::probe_subnormals(executor, false, ir::DType::f32));
  EXPECT_FALSE(profile::probe::probe_fma(executor, false, ir::DType::f32));
}

}  // namespace
}  // namespace plumb::parity::profile::probe::elementwise_test
