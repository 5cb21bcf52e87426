#include "parity/profile/probe/probe.hpp"

#include <gtest/gtest.h>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile::probe::probe_test {
namespace {

/// One device of which everything is known: what is found of it is its profile, but for the functions.
TEST(Probe, FindsTheProfileOfADevice) {
  profile::DeviceProfile device = {.name = "unit", .driver = "emulated 1", .uuid = "0"};
  for (const auto& [dtype, bits] : {std::pair{ir::DType::f16, 11}, {ir::DType::bf16, 8}, {ir::DType::f32, 11}})
    device.products.push_back(testing::matrix_unit(dtype, bits));
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16, ir::DType::f32, ir::DType::f64}) {
    const auto handling = dtype == ir::DType::f32 ? profile::Subnormals::flushed : profile::Subnormals::kept;
    device.subnormals.push_back({dtype, handling, handling});
    device.fma.push_back({dtype, dtype == ir::DType::f64 ? profile::FmaKind::separate : profile::FmaKind::fused});
  }
  testing::EmulatedDevice executor(device, {{128}, {}});
  ref_cpu::CpuExecutor reference;
  std::size_t said = 0, of = 0;
  profile::probe::ProbeOptions options;
  options.step = [&](std::string_view, std::size_t done, std::size_t steps) {
    EXPECT_EQ(done, said++);
    of = steps;
  };
  profile::DeviceProfile found = profile::probe::probe(
      executor, reference, {.uuid = "0", .name = "unit", .driver_name = "emulated", .driver_info = "1"}, options);
  EXPECT_EQ(said, of);  // a bar that is told so ends full
  EXPECT_GT(found.functions.size(), 100u);
  EXPECT_EQ(found.max_ulp_of("negate", ir::DType::f16), 0);
  EXPECT_LT(*found.max_ulp_of("exp", ir::DType::f32), 4);
  found.functions.clear();
  EXPECT_EQ(profile::to_toml(found), profile::to_toml(device));
}

}  // namespace
}  // namespace plumb::parity::profile::probe::probe_test
