#include "gpu_vulkan/runtime/timeline.hpp"

#include <algorithm>

#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

/// To be woken up takes a sleeping thread ten microseconds and more, a small graph no more than
/// that. A device made of this machine's own cores needs them itself.
constexpr std::chrono::duration<double> longest_spin = std::chrono::milliseconds(1);

driver::Semaphore make_semaphore(const driver::Device& device) {
  auto type = driver::structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const auto info = driver::structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type);
  return driver::create<driver::Semaphore>("vkCreateSemaphore", vkCreateSemaphore, device.get(), info);
}

}  // namespace

Timeline::Timeline(const driver::Device& device)
    : device_(device),
      semaphore_(make_semaphore(device)),
      spin_(device.facts().kind == device::DeviceKind::software ? std::chrono::seconds(0) : longest_spin) {}

void Timeline::submit(VkCommandBuffer commands) {
  auto command = driver::structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  command.commandBuffer = commands;
  auto before = driver::structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  before.semaphore = semaphore_.get();
  before.value = submitted_;
  before.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  auto after = before;
  after.value = submitted_ + 1;
  auto info = driver::structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = busy_ ? 1 : 0;
  info.signalSemaphoreInfoCount = info.commandBufferInfoCount = 1;
  info.pWaitSemaphoreInfos = &before;
  info.pSignalSemaphoreInfos = &after;
  info.pCommandBufferInfos = &command;
  driver::check(vkQueueSubmit2(device_.queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2");
  ++submitted_;
  busy_ = true;
}

bool Timeline::reached_within(std::chrono::duration<double> time) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < time) {
    std::uint64_t done = 0;
    const VkResult result = vkGetSemaphoreCounterValue(device_.get(), semaphore_.get(), &done);
    busy_ = result == VK_SUCCESS && done < submitted_;
    driver::check(result, "vkGetSemaphoreCounterValue");
    if (!busy_) return true;
  }
  return false;
}

void Timeline::wait(std::chrono::duration<double> timeout) {
  if (reached_within(std::min(spin_, timeout))) return;
  const VkSemaphore semaphore = semaphore_.get();
  auto info = driver::structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &submitted_;
  const double longest = 9e18;  // nanoseconds, fits 64 bits
  const auto nanoseconds = static_cast<std::uint64_t>(std::clamp(timeout.count() * 1e9, 0.0, longest));
  const VkResult result = vkWaitSemaphores(device_.get(), &info, nanoseconds);
  busy_ = result == VK_TIMEOUT;
  driver::check(result, "vkWaitSemaphores", result == VK_TIMEOUT ? ir::cat(" after ", timeout.count(), " s") : "");
}

}  // namespace plumb::gpu_vulkan::runtime
