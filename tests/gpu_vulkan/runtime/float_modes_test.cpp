// Modules for devices that cannot be asked to keep signed zeros, infinities and NaN.
#include "gpu_vulkan/runtime/driver/float_modes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::float_modes_test {
namespace {

using Words = std::vector<std::uint32_t>;

std::span<const std::uint32_t> module_named(std::string_view name) {
  return std::ranges::find(kernels::common::shader_blobs(), name, &kernels::common::ShaderBlob::name)->words;
}

TEST(FloatModes, OnlyTheCapabilityAndTheModeGo) {
  const auto words = module_named("unary.f32");
  const auto less = runtime::driver::without_specials_kept(words);
  EXPECT_EQ(less.size() + 2 + 4, words.size());
  EXPECT_EQ(runtime::driver::without_specials_kept(less), less);
  EXPECT_TRUE(std::ranges::equal(words.first(5), std::span(less).first(5)));
}

TEST(FloatModes, AModuleThatDoesNotAskStaysAsItIs) {
  const auto words = module_named("reduce.f32");
  EXPECT_TRUE(std::ranges::equal(runtime::driver::without_specials_kept(words), words));
}

TEST(FloatModes, AModuleThatIsCutIsAnError) {
  const auto words = module_named("unary.f32");
  EXPECT_NE(tests::message_of([&] { runtime::driver::without_specials_kept(words.first(6)); }), "");
  EXPECT_NE(tests::message_of([&] { runtime::driver::without_specials_kept(words.first(4)); }), "");
  EXPECT_NE(tests::message_of([&] { runtime::driver::without_specials_kept(Words{1, 2, 3, 4, 5, 0}); }), "");
}

}  // namespace
}  // namespace plumb::gpu_vulkan::float_modes_test
