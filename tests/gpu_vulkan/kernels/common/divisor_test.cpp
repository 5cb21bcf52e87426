#include "gpu_vulkan/kernels/common/divisor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumb::gpu_vulkan::divisor_test {
namespace {

// As glsl/divide.glsl does it.
std::int64_t divide(std::int64_t n, kernels::common::Divisor d) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(2 * n) * d.multiplier >> 32) >> d.shift);
}

TEST(Divisor, IsExactAroundMultiplesUpToTheLargest) {
  constexpr std::int64_t top = (std::int64_t{1} << 31) - 1, half = std::int64_t{1} << 30;
  for (const std::int64_t d : std::initializer_list<std::int64_t>{
           1, 2, 3, 5, 7, 10, 31, 32, 33, 641, 65535, 65537, (1 << 24) + 3, half - 1, half, half + 1, top - 1, top}) {
    const kernels::common::Divisor divisor(d);
    const std::int64_t stride = std::max(top / d / 1000, std::int64_t{1});
    for (std::int64_t q = 0; q <= top / d; q += stride)
      for (const std::int64_t near : {q * d - 1, q * d, q * d + 1, q * d + d - 1}) {
        const auto n = std::clamp(near, std::int64_t{0}, top);
        ASSERT_EQ(divide(n, divisor), n / d) << n << " / " << d;
      }
    ASSERT_EQ(divide(top, divisor), top / d) << top << " / " << d;
  }
}

TEST(Divisor, IsExactForAllSmallNumbers) {
  for (std::int64_t d = 1; d < 300; ++d)
    for (std::int64_t n = 0; n < 3000; ++n) ASSERT_EQ(divide(n, kernels::common::Divisor(d)), n / d) << n << " / " << d;
}

}  // namespace
}  // namespace plumb::gpu_vulkan::divisor_test
