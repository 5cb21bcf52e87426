#include "tests/support/gpu.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::testing {
namespace {

std::unique_ptr<ir::Executor> executor;

/// Gives the device back when the tests are over. Later, when static objects are
/// destroyed, the validation layer is gone already, and destroying a device crashes in it.
struct EndOfTests : ::testing::Environment {
  void TearDown() override { executor.reset(); }
};
[[maybe_unused]] const auto* const end_of_tests = ::testing::AddGlobalTestEnvironment(new EndOfTests);

}  // namespace

const Gpu& gpu() {
  static const Gpu shared = [] {
    try {
      executor = std::make_unique<gpu_vulkan::VulkanExecutor>();
      return Gpu{executor.get(), ""};
    } catch (const ir::Unsupported& error) {
      return Gpu{nullptr, error.what()};
    }
  }();
  return shared;
}

}  // namespace plumb::testing
