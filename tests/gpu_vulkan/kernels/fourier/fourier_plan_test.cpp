// Factors of the lengths of Fourier transforms, and a workgroup's share of them, on devices that are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gpu_vulkan/kernels/fourier/factors.hpp"
#include "gpu_vulkan/kernels/fourier/layout.hpp"
#include "ir/kernels/fourier.hpp"
#include "tests/gpu_vulkan/facts.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {
namespace {

std::uint64_t product(const std::vector<std::uint32_t>& radices) {
  return std::accumulate(radices.begin(), radices.end(), std::uint64_t{1}, std::multiplies<>());
}

/// passes.glsl holds five radices.
TEST(FourierPlan, FewPassesMakeUpEveryLengthOfSmallPrimes) {
  for (std::int64_t n = 1; n <= 16384; ++n) {
    if (!ir::kernels::is_smooth(n, 7)) continue;
    EXPECT_EQ(product(radices_of(n)), static_cast<std::uint64_t>(n));
    EXPECT_LE(radices_of(n).size(), n <= 8192 ? 5u : 6u) << n;
  }
  EXPECT_TRUE(radices_of(1).empty());
  EXPECT_EQ(radices_of(1000), (std::vector<std::uint32_t>{10, 10, 10}));
  EXPECT_EQ(radices_of(4096), (std::vector<std::uint32_t>{16, 16, 16}));
  EXPECT_FALSE(fits_workgroup(15625, ir::DType::f32, true, gpu_vulkan::testing::h200()));  // six passes of 5
  EXPECT_TRUE(fits_workgroup(16384, ir::DType::f32, true, gpu_vulkan::testing::h200()));
  EXPECT_FALSE(fits_workgroup(16384, ir::DType::f32, false, gpu_vulkan::testing::h200()));
}

TEST(FourierPlan, StepsAreAboutEqual) {
  EXPECT_EQ(factors_of(1 << 20, 1024, 2), (std::vector<std::int64_t>{1024, 1024}));
  EXPECT_EQ(factors_of(1 << 24, 2048, 3), (std::vector<std::int64_t>{256, 256, 256}));
  EXPECT_TRUE(factors_of(1 << 24, 2048, 2).empty());
  EXPECT_EQ(factors_of(120, 8, 3), (std::vector<std::int64_t>{5, 4, 6}));
}

TEST(FourierPlan, BluesteinsLinesAreLongEnoughAndOfSmallPrimes) {
  for (const std::int64_t n : {11, 13, 101, 509, 1013, 4093, 65537}) {
    const std::int64_t m = length_of_chirped(2 * n - 1, 8192);
    EXPECT_GE(m, 2 * n - 1);
    EXPECT_LT(m, 4 * n);
    EXPECT_TRUE(ir::kernels::is_smooth(m, 7));
  }
}

/// A workgroup is within the device's limits and, of what changes places between passes, has room for a slice at least.
TEST(FourierPlan, WorkgroupsFitTheirDevice) {
  device::DeviceFacts narrow = gpu_vulkan::testing::any_device();
  narrow.max_invocations = narrow.max_group_size[0] = 128;
  narrow.shared_memory = 16 << 10;
  for (const device::DeviceFacts& facts : {gpu_vulkan::testing::any_device(), gpu_vulkan::testing::h200(), narrow})
    for (const ir::DType part : {ir::DType::f32, ir::DType::f64})
      for (const bool splits : {false, true}) {
        const Capacity most = capacity_of(part, facts);
        EXPECT_GE(most.alone, 1024);
        for (std::int64_t n = 1; n <= 16384; ++n) {
          if (!ir::kernels::is_smooth(n, 7) || !fits_workgroup(n, part, !splits, facts)) {
            EXPECT_TRUE(n > most.alone || !ir::kernels::is_smooth(n, 7));
            continue;
          }
          const std::vector<std::uint32_t> radices = radices_of(n);
          for (const bool across : {false, true}) {
            const Layout layout = layout_of(n, radices, {.across_out = across, .splits = splits}, part, facts);
            const std::uint32_t words = layout.lines * layout.line_stride * (layout.at_once ? 2 : 1);
            EXPECT_LE(words * ir::info(part).bytes, facts.shared_memory) << n;
            EXPECT_LE(layout.threads * layout.lines, facts.max_invocations) << n;
            EXPECT_LE(layout.points, 32u) << n;
            EXPECT_GE(std::int64_t{layout.points} * layout.threads, n);
            EXPECT_TRUE(!splits || layout.slices == 1);
          }
        }
      }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::kernels::fourier
