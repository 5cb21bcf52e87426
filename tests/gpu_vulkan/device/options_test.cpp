#include "gpu_vulkan/device/options.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::options_test {
namespace {

using ::testing::HasSubstr;
using tests::message_of;

TEST(Options, AreSetByName) {
  device::VulkanOptions options;
  device::set_option(options, "device", "cpu");
  device::set_option(options, "fallback", "allow");
  device::set_option(options, "poison", "1");
  device::set_option(options, "timestamps", "run");
  device::set_option(options, "timeout", "0.25");
  device::set_option(options, "max_buffer", "4096");
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.fallback, device::Fallback::allow);
  EXPECT_TRUE(options.poison);
  EXPECT_EQ(options.timestamps, device::Timestamps::run);
  EXPECT_EQ(options.timeout, 0.25);
  EXPECT_EQ(options.max_buffer, 4096);
  device::set_option(options, "cooperative", "false");
  device::set_option(options, "without", "coopmat,tiled_wide");
  EXPECT_FALSE(options.cooperative);
  EXPECT_EQ(options.without, (device::KernelFamilies{device::KernelFamily::coopmat, device::KernelFamily::tiled_wide}));
  device::set_option(options, "without", "");
  EXPECT_TRUE(options.without.empty());
}

TEST(Options, SayWhichAreOffTheirDefaultsAndWhereThatIsSaid) {
  device::VulkanOptions options;
  EXPECT_TRUE(device::settings_of(options).empty());
  device::set_option(options, "device", "cpu");
  device::set_option(options, "validation", "1");
  device::set_option(options, "regions", "0");
  const auto settings = device::settings_of(options);
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[0].said_in, device::SaidIn::repro);
  EXPECT_EQ(settings[1].said_in, device::SaidIn::nothing);
  EXPECT_EQ(settings[2].name + '=' + settings[2].value, "regions=false");
  EXPECT_EQ(settings[2].said_in, device::SaidIn::options);
  EXPECT_TRUE(device::settings_of(options, options).empty());
}

TEST(Options, RefuseWhatTheyDoNotUnderstand) {
  device::VulkanOptions options;
  const auto refused = [&](std::string_view name, std::string_view text) {
    return message_of([&] { device::set_option(options, name, text); });
  };
  EXPECT_EQ(refused("posion", "1"), "there is no option 'posion'");
  EXPECT_EQ(refused("poison", "yes"), "option poison must be true or false, got 'yes'");
  EXPECT_EQ(refused("fallback", "maybe"), "option fallback must be one of forbid, allow, got 'maybe'");
  EXPECT_EQ(refused("max_buffer", "4k"), "option max_buffer must be a whole number of 0 or more, got '4k'");
  EXPECT_EQ(refused("timeout", "-1"), "option timeout must be a number of 0 or more, got '-1'");
  EXPECT_EQ(refused("timeout", "nan"), "option timeout must be a number of 0 or more, got 'nan'");
  EXPECT_THAT(refused("without", "coopmat,tilde"), ::testing::MatchesRegex("option without must be some of coopmat, .*"
                                                                           "implicit_gemm.*, got 'tilde'"));
  for (const std::string tile : {"banana", "-1x0x0", "64x64", "64x64x", "064x64x16", "64x64x16x2"})
    EXPECT_EQ(refused("tile", tile),
              "option tile must be rows x columns x depth, such as 64x64x16, got '" + tile + "'");
  EXPECT_EQ(refused("tile", "64x64x16"), "");
  EXPECT_EQ(refused("tile", ""), "");
  EXPECT_EQ(refused("timeout", ""), "option timeout must be a number of 0 or more, got ''");
}

TEST(Options, EachIsDescribedAndItsPresetIsItsOwnText) {
  for (const device::OptionInfo& info : device::vulkan_option_infos()) {
    EXPECT_FALSE(info.doc.empty()) << info.name;
    EXPECT_EQ(info.choices.empty(), info.kind != "enum" && info.kind != "names") << info.name;
    device::VulkanOptions options;
    EXPECT_NO_THROW(device::set_option(options, info.name, info.preset)) << info.name;
    EXPECT_EQ(info.variable.substr(0, 6), "PLUMB_");
  }
}

TEST(Options, TheEnvironmentSetsThem) {
  ASSERT_EQ(setenv("PLUMB_NO_REUSE", "1", 1), 0);
  EXPECT_TRUE(device::options_from_environment().no_reuse);
  ASSERT_EQ(setenv("PLUMB_NO_REUSE", "perhaps", 1), 0);
  EXPECT_THAT(message_of([] { device::options_from_environment(); }),
              HasSubstr("option no_reuse must be true or false"));
  ASSERT_EQ(unsetenv("PLUMB_NO_REUSE"), 0);
  EXPECT_FALSE(device::options_from_environment().no_reuse);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::options_test
