#include "parity/probe/elementwise.hpp"

#include <gtest/gtest.h>

#include "tests/parity/suspect.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::probe {
namespace {

constexpr std::array dtypes = {ir::DType::f16, ir::DType::bf16, ir::DType::f32, ir::DType::f64};

TEST(ProbeElementwise, SeesWhatIsFlushed) {
  for (const ir::DType dtype : dtypes)
    for (const Subnormals in : {Subnormals::kept, Subnormals::flushed})
      for (const Subnormals out : {Subnormals::kept, Subnormals::flushed}) {
        const SubnormalHandling handling{dtype, in, out};
        testing::EmulatedDevice executor({.subnormals = {handling}});
        EXPECT_EQ(probe_subnormals(executor, false, dtype), handling) << dtype;
      }
}

TEST(ProbeElementwise, SeesHowOftenFmaRounds) {
  for (const ir::DType dtype : dtypes)
    for (const FmaKind kind : {FmaKind::fused, FmaKind::separate}) {
      testing::EmulatedDevice executor({.fma = {{dtype, kind}}});
      EXPECT_EQ(probe_fma(executor, false, dtype), (FmaHandling{dtype, kind})) << dtype;
    }
}

TEST(ProbeElementwise, OfAHostInPlaceOfTheDeviceSaysNothing) {
  testing::Suspect executor;
  executor.on_host = {"y"};
  EXPECT_FALSE(probe_subnormals(executor, false, ir::DType::f32));
  EXPECT_FALSE(probe_fma(executor, false, ir::DType::f32));
}

}  // namespace
}  // namespace plumb::parity::probe
