#include "parity/profile/probe/probe.hpp"

#include <gtest/gtest.h>

#include "ir/ops/unary.hpp"
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

/// Runs trials as a process does, which hands back results and maybe how it adds. Functions are left out: they are the
/// reference's own here, and take most of a probe's time.
core::RunTrials exchanged(ir::Executor& executor, bool says_how) {
  return [run = core::one_by_one(executor), says_how](std::vector<core::Trial> trials) {
    std::vector<core::TrialEnd> ends;
    for (core::Trial& trial : trials) {
      core::TrialEnd end{.refused = "no functions"};
      if (!trial.graph.nodes().front().op.is<ir::ops::Unary>()) {
        std::vector<core::Trial> one;
        one.push_back(std::move(trial));
        end = std::move(run(std::move(one)).front());
      }
      for (ir::NodeReport& report : end.nodes)
        if (!says_how) report.sums.clear();
      ends.push_back(std::move(end));
    }
    return ends;
  };
}

/// A unit of f16 and f32 operands that adds so many products at once.
std::vector<profile::Products> units(int block, int extra_bits, profile::Rounding rounding) {
  std::vector<profile::Products> made;
  for (const auto& [dtype, bits] : {std::pair{ir::DType::f16, 11}, {ir::DType::f32, 24}})
    made.push_back({.unit = ir::SumUnit::matrix,
                    .operands = dtype,
                    .operand_bits = bits,
                    .exact_products = profile::Known::yes,
                    .accumulator_bits = 24,
                    .extra_bits = extra_bits,
                    .normalized = profile::Known::yes,
                    .rounding = rounding,
                    .block = block,
                    .subnormals = profile::Subnormals::kept});
  return made;
}

TEST(Probe, FindsOfACandidateThatSaysNothingWhatItFindsOfADevice) {
  ref_cpu::CpuExecutor reference;
  constexpr int all = profile::Products::every_bit;
  const std::vector<profile::Products> tensor_cores = {testing::matrix_unit(ir::DType::f16, 11),
                                                       testing::matrix_unit(ir::DType::f32, 11)};
  for (const auto& device :
       {tensor_cores, units(1, all, profile::Rounding::nearest), units(4, 3, profile::Rounding::truncating)}) {
    testing::EmulatedDevice executor({.products = device});
    const profile::Device called = {.uuid = "0", .name = "unit", .driver_name = "emulated"};
    profile::DeviceProfile found = profile::probe::probe(exchanged(executor, true), reference, called, {});
    ASSERT_GE(found.products.size(), device.size());
    for (profile::Products& unit : found.products) unit.unit = ir::SumUnit::either;
    const profile::DeviceProfile asked =
        profile::probe::probe(exchanged(executor, false), reference, called, {.is_host = true, .at_once = true});
    EXPECT_EQ(profile::to_toml(asked), profile::to_toml(found));
  }
}

}  // namespace
}  // namespace plumb::parity::profile::probe::probe_test
