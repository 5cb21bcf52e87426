#pragma once

#include <gtest/gtest.h>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::gpu_vulkan::testing {

/// An executor with the options of the environment, changed by `change`.
template <class Change>
std::unique_ptr<VulkanExecutor> executor_with(Change change) {
  device::VulkanOptions options = device::options_from_environment();
  change(options);
  return std::make_unique<VulkanExecutor>(std::move(options));
}

inline std::unique_ptr<VulkanExecutor> any_executor() {
  return executor_with([](device::VulkanOptions&) {});
}

/// A suite that skips itself on a machine without a Vulkan device.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      any_executor();
    } catch (const ir::Unsupported& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace plumb::gpu_vulkan::testing
