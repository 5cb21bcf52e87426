// The device's queue behind its lock, and waiting for what was submitted there.
#include "gpu_vulkan/runtime/timeline.hpp"

#include <algorithm>
#include <array>

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

std::uint64_t Timeline::submit(VkCommandBuffer commands) {
  const std::scoped_lock held(queue_);
  return submit_locked({&commands, 1}, busy());
}

std::uint64_t Timeline::submit_beside(std::span<const VkCommandBuffer> commands) {
  const std::scoped_lock held(queue_);
  return submit_locked(commands, false);
}

std::uint64_t Timeline::submit_locked(std::span<const VkCommandBuffer> commands, bool waits) {
  constexpr std::size_t most = 2;
  ir::require(commands.size() <= most, "a submit of ", commands.size(), " command buffers, at most ", most, " fit");
  std::array<VkCommandBufferSubmitInfo, most> all;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    all[i] = driver::structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
    all[i].commandBuffer = commands[i];
  }
  auto before = driver::structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  before.semaphore = semaphore_.get();
  before.value = submitted_;
  before.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  auto after = before;
  after.value = submitted_ + 1;
  auto info = driver::structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = waits ? 1 : 0;
  info.signalSemaphoreInfoCount = 1;
  info.commandBufferInfoCount = static_cast<std::uint32_t>(commands.size());
  info.pWaitSemaphoreInfos = &before;
  info.pSignalSemaphoreInfos = &after;
  info.pCommandBufferInfos = all.data();
  driver::check(vkQueueSubmit2(device_.queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2");
  return ++submitted_;
}

/// Throws DeviceError where that was not known before the device was lost.
bool Timeline::is_known_done(std::uint64_t number) const {
  if (done_ >= number) return true;
  if (is_lost_) throw ir::DeviceError("the device was lost");
  return false;
}

void Timeline::require(VkResult result, const char* what) {
  if (result != VK_SUCCESS) is_lost_ = true;
  driver::check(result, what);
}

bool Timeline::reached(std::uint64_t number) {
  if (is_known_done(number)) return true;
  std::uint64_t done = 0;
  require(vkGetSemaphoreCounterValue(device_.get(), semaphore_.get(), &done), "vkGetSemaphoreCounterValue");
  raise(done_, done);
  return done >= number;
}

bool Timeline::reached_within(std::uint64_t number, std::chrono::duration<double> time) {
  constexpr int questions = 16;  // for each look at the clock, which some hypervisors are slow to tell
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < time)
    for (int i = 0; i < questions; ++i)
      if (reached(number)) return true;
  return false;
}

bool Timeline::wait_for(std::uint64_t number, std::chrono::duration<double> timeout) {
  if (is_known_done(number) || reached_within(number, std::min(spin_, timeout))) return true;
  const VkSemaphore semaphore = semaphore_.get();
  auto info = driver::structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &number;
  const double longest = 9e18;  // nanoseconds, fits 64 bits
  const auto nanoseconds = static_cast<std::uint64_t>(std::clamp(timeout.count() * 1e9, 0.0, longest));
  const VkResult result = vkWaitSemaphores(device_.get(), &info, nanoseconds);
  if (result == VK_TIMEOUT) return false;
  require(result, "vkWaitSemaphores");
  raise(done_, number);
  return true;
}

void Timeline::wait(std::uint64_t number, std::chrono::duration<double> timeout) {
  if (!wait_for(number, timeout))
    driver::check(VK_TIMEOUT, "vkWaitSemaphores", ir::cat(" after ", timeout.count(), " s"));
}

}  // namespace plumb::gpu_vulkan::runtime
