#include "gpu_vulkan/device/devices.hpp"

#include <gmock/gmock.h>

#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::devices_test {
namespace {

using ::testing::HasSubstr;
using tests::message_of;

/// An old card, a software device, a phone's GPU and a good card.
std::vector<device::DeviceReport> four() {
  device::DeviceFacts old = testing::any_device();
  old.name = "Old Card";
  old.kind = device::DeviceKind::discrete;
  std::vector<device::DeviceReport> devices = {{old, "offers Vulkan 1.1.0, wanted 1.3"},
                                               {testing::lavapipe(), ""},
                                               {testing::phone(), ""},
                                               {testing::h200(), ""}};
  devices[3].facts.uuid = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0};
  return devices;
}

TEST(ChooseDevice, PrefersDiscreteToIntegratedToSoftware) {
  auto devices = four();
  EXPECT_EQ(device::choose_device(devices, ""), 3u);
  devices.pop_back();
  EXPECT_EQ(device::choose_device(devices, ""), 2u);
  devices.pop_back();
  EXPECT_EQ(device::choose_device(devices, ""), 1u);
}

TEST(ChooseDevice, ByIndexUuidNameOrCpu) {
  const auto devices = four();
  EXPECT_EQ(device::choose_device(devices, "2"), 2u);
  EXPECT_EQ(device::choose_device(devices, "cpu"), 1u);
  EXPECT_EQ(device::choose_device(devices, "12345678-9abc-def0-0000-000000000000"), 3u);
  EXPECT_EQ(device::choose_device(devices, "12345678-9ABC-*"), 3u);
  EXPECT_EQ(device::choose_device(devices, "*h200*"), 3u);
  EXPECT_EQ(device::choose_device(devices, "phon?"), 2u);
  EXPECT_EQ(device::choose_device(devices, "phone"), 2u);
}

TEST(ChooseDevice, SaysWhyThereIsNone) {
  const auto devices = four();
  const auto refused = [&](std::string_view selector) {
    return message_of([&] { device::choose_device(devices, selector); });
  };
  EXPECT_EQ(refused("Old*"), "no Vulkan device can be used:\n0 Old Card: offers Vulkan 1.1.0, wanted 1.3");
  EXPECT_EQ(refused("0"), "no Vulkan device can be used:\n0 Old Card: offers Vulkan 1.1.0, wanted 1.3");
  EXPECT_EQ(refused("Card"), "no Vulkan device is called 'Card', of 4; `plumb devices` lists them");
  EXPECT_EQ(refused("4"), "no Vulkan device is called '4', of 4; `plumb devices` lists them");
  EXPECT_EQ(message_of([] { device::choose_device({}, ""); }), "the Vulkan drivers found no device");
  EXPECT_THROW(device::choose_device({}, ""), ir::Unsupported);
  // A name that nothing has is misspelt; a device that cannot be used, or that a machine may well lack, is not.
  const auto is_misspelt = [](const auto& among, std::string_view selector) {
    try {
      device::choose_device(among, selector);
    } catch (const ir::Unsupported&) {
      return false;
    } catch (const ir::Error&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(is_misspelt(devices, "Card"));
  EXPECT_TRUE(is_misspelt(devices, "4"));
  EXPECT_FALSE(is_misspelt(devices, "Old*"));
  EXPECT_FALSE(is_misspelt(std::vector{devices[3]}, "cpu"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::devices_test
