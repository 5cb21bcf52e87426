// Times submits of the smallest command buffers: where the microseconds of a small graph go, and what asking costs.
#include "bench/gpu/submits.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include "gpu_vulkan/calibrate/measuring.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"
#include "gpu_vulkan/runtime/runtime.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/ops/softmax.hpp"

namespace plumb::bench {
namespace {

namespace driver = gpu_vulkan::runtime::driver;
using gpu_vulkan::runtime::Access;
using gpu_vulkan::runtime::Commands;
using gpu_vulkan::runtime::DeviceBuffer;
using gpu_vulkan::runtime::MemoryUse;
using gpu_vulkan::runtime::driver::Holder;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{10};
constexpr std::size_t bytes = 4096;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// A kernel that turns 4 KiB into 4 KiB: softmax of 8 rows of 128.
gpu_vulkan::plan::Dispatch small_kernel(const gpu_vulkan::device::VulkanOptions& options) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {ir::DType::f32, {8, 128}});
  const ir::Value y = graph.add("y", ir::ops::Softmax{}, {x});
  const gpu_vulkan::plan::Plan plan = gpu_vulkan::VulkanExecutor(options).plan(graph, {{y}});
  ir::require(plan.schedule.dispatches.size() == 1, "a softmax of 8 rows is ", plan.schedule.dispatches.size(),
              " kernels");
  return plan.schedule.dispatches.front();
}

/// A fence, whose functions nobody else calls.
class VulkanFence {
 public:
  explicit VulkanFence(VkDevice device) : device_(device) {
    const auto info = driver::structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    driver::check(function<PFN_vkCreateFence>("vkCreateFence")(device_, &info, nullptr, &fence_), "vkCreateFence");
  }
  ~VulkanFence() { function<PFN_vkDestroyFence>("vkDestroyFence")(device_, fence_, nullptr); }
  VulkanFence(const VulkanFence&) = delete;
  VulkanFence& operator=(const VulkanFence&) = delete;

  VkFence get() const { return fence_; }
  bool is_signaled() const { return status_(device_, fence_) == VK_SUCCESS; }
  void reset() const { driver::check(reset_(device_, 1, &fence_), "vkResetFences"); }

 private:
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(gpu_vulkan::vkGetDeviceProcAddr(device_, name));
  }

  VkDevice device_;
  VkFence fence_ = VK_NULL_HANDLE;
  PFN_vkGetFenceStatus status_ = function<PFN_vkGetFenceStatus>("vkGetFenceStatus");
  PFN_vkResetFences reset_ = function<PFN_vkResetFences>("vkResetFences");
};

/// A submit of one command buffer, which tells no semaphore.
class Submission {
 public:
  explicit Submission(VkCommandBuffer commands) {
    commands_.commandBuffer = commands;
    info_.commandBufferInfoCount = 1;
    info_.pCommandBufferInfos = &commands_;
  }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  void submit(VkQueue queue, VkFence fence) const {
    driver::check(gpu_vulkan::vkQueueSubmit2(queue, 1, &info_, fence), "vkQueueSubmit2");
  }

 private:
  VkCommandBufferSubmitInfo commands_ =
      driver::structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  VkSubmitInfo2 info_ = driver::structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
};

class Submits {
 public:
  Submits(const gpu_vulkan::device::VulkanOptions& options, std::size_t runs)
      : runs_(runs),
        kernel_(small_kernel(options)),
        runtime_(options),
        pool_(gpu_vulkan::runtime::make_command_pool(runtime_.device)),
        on_device_{{{runtime_.device, bytes, MemoryUse::device, Holder::buffers},
                    {runtime_.device, bytes, MemoryUse::device, Holder::buffers}}},
        on_host_(runtime_.device, bytes, MemoryUse::readback, Holder::buffers),
        barrier_(runtime_.device, pool_.get()) {
    barrier_.barrier(Access::shader | Access::transfer, Access::shader | Access::transfer);
    barrier_.end();
  }

  void print();

 private:
  using Recorded = std::function<void(Commands&)>;

  void kernel(Commands& commands, const DeviceBuffer& from, const DeviceBuffer& to) {
    std::vector<gpu_vulkan::runtime::BufferRange> bindings(kernel_.reads.size(), {from.get(), 0, bytes});
    bindings.resize(kernel_.reads.size() + kernel_.writes.size(), {to.get(), 0, bytes});
    commands.dispatch(runtime_.pipelines.get(kernel_), bindings, kernel_.push.bytes(), kernel_.groups);
  }
  /// n kernels one after the other, of which the last writes to the host's memory, or none does.
  Recorded kernels(std::size_t n, bool reach_the_host) {
    return [this, n, reach_the_host](Commands& commands) {
      for (std::size_t k = 0; k < n; ++k) {
        if (k > 0) commands.barrier(Access::shader, Access::shader);
        const bool is_last = k + 1 == n;
        kernel(commands, on_device_[k % 2], is_last && reach_the_host ? on_host_ : on_device_[(k + 1) % 2]);
      }
      commands.barrier(Access::shader, Access::host);
    };
  }
  void time(const std::string& what, const std::function<void()>& submit, const std::function<void()>& wait);
  void by_timeline(const std::string& what, const Recorded& record);
  void by_fence(const std::string& what, const Recorded& record);
  void by_memory(const std::string& what, const Recorded& record, bool has_signal);
  void asking();
  enum class Touch { never, once, always };  ///< whether the host reads a byte of the memory while the device works
  double us_of_reading(const DeviceBuffer& memory, Touch touch);
  void reading(const std::string& what, const DeviceBuffer& memory);
  void reading_all();

  const std::size_t runs_;
  const gpu_vulkan::plan::Dispatch kernel_;
  gpu_vulkan::runtime::Runtime runtime_;
  driver::CommandPool pool_;
  std::array<DeviceBuffer, 2> on_device_;
  DeviceBuffer on_host_;
  Commands barrier_;
};

void Submits::time(const std::string& what, const std::function<void()>& submit, const std::function<void()>& wait) {
  std::vector<double> submitting, all;
  const auto warming = Clock::now();
  while (submitting.size() < runs_) {
    const auto start = Clock::now();
    submit();
    const double submitted = us_since(start);
    wait();
    const double ended = us_since(start);
    if (us_since(warming) < 1e5) continue;
    submitting.push_back(submitted);
    all.push_back(ended);
  }
  std::cout << fmt::format("{:58} {:8.2f} us, of which submit {:6.2f}, best {:8.2f}", what,
                           gpu_vulkan::calibrate::median(all), gpu_vulkan::calibrate::median(submitting),
                           std::ranges::min(all))
            << std::endl;
}

void Submits::by_timeline(const std::string& what, const Recorded& record) {
  Commands commands(runtime_.device, pool_.get());
  record(commands);
  commands.end();
  std::uint64_t number = 0;
  time(
      what, [&] { number = runtime_.timeline.submit(commands.get()); },
      [&] { runtime_.timeline.wait(number, patience); });
}

void Submits::by_fence(const std::string& what, const Recorded& record) {
  Commands commands(runtime_.device, pool_.get());
  record(commands);
  commands.end();
  const VulkanFence fence(runtime_.device.get());
  const Submission one(commands.get());
  time(
      what,
      [&] {
        fence.reset();
        one.submit(runtime_.device.queue(), fence.get());
      },
      [&] {
        while (!fence.is_signaled()) {
        }
      });
}

/// Not by a rule of Vulkan's: a word that the device fills behind all else shows how late a semaphore tells.
void Submits::by_memory(const std::string& what, const Recorded& record, bool has_signal) {
  const DeviceBuffer word(runtime_.device, sizeof(std::uint32_t), MemoryUse::readback, Holder::buffers);
  Commands commands(runtime_.device, pool_.get(), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  record(commands);
  commands.barrier(Access::shader, Access::transfer);
  commands.fill({word.get(), 0, sizeof(std::uint32_t)}, 1);
  commands.barrier(Access::transfer, Access::host);
  commands.end();
  const std::atomic_ref<std::uint32_t> seen(*reinterpret_cast<std::uint32_t*>(word.mapped().data()));
  const Submission one(commands.get());
  std::uint64_t number = 0;
  time(
      what,
      [&] {
        if (number > 0) runtime_.timeline.wait(number, patience);
        seen = 0;
        if (has_signal)
          number = runtime_.timeline.submit(commands.get());
        else
          one.submit(runtime_.device.queue(), VK_NULL_HANDLE);
      },
      [&] {
        const auto start = Clock::now();
        while (seen == 0 && Clock::now() - start < patience) {
        }
      });
  runtime_.timeline.wait(runtime_.timeline.submit(barrier_.get()), patience);  // behind all before
}

void Submits::asking() {
  const auto each = [](const auto& ask) {
    constexpr int times = 1000;
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) ask();
    return us_since(start) / times;
  };
  const VulkanFence fence(runtime_.device.get());
  constexpr std::uint64_t never = ~std::uint64_t{0};
  std::cout << fmt::format("to ask once: a semaphore {:.3f} us, a fence {:.3f} us, the clock {:.3f} us",
                           each([&] { return runtime_.timeline.reached(never); }),
                           each([&] { return fence.is_signaled(); }), each([] { return Clock::now(); }))
            << std::endl;
}

/// The median of reading what a kernel wrote, once the run is known to have ended.
double Submits::us_of_reading(const DeviceBuffer& memory, Touch touch) {
  Commands commands(runtime_.device, pool_.get());
  kernel(commands, on_device_[0], memory);
  commands.barrier(Access::shader, Access::host);
  commands.end();
  std::array<std::byte, bytes> here{};
  void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;  // which no compiler leaves out
  const auto read_a_byte = [&] { here[0] = *static_cast<const volatile std::byte*>(memory.mapped().data()); };
  std::vector<double> all;
  const std::size_t warm = 20, runs = std::min<std::size_t>(runs_, 500);
  for (std::size_t run = 0; run < warm + runs; ++run) {
    const std::uint64_t number = runtime_.timeline.submit(commands.get());
    if (touch == Touch::once) read_a_byte();
    while (touch == Touch::always && !runtime_.timeline.reached(number)) read_a_byte();
    runtime_.timeline.wait(number, patience);
    const auto start = Clock::now();
    copy(here.data(), memory.mapped().data(), bytes);
    if (run >= warm) all.push_back(us_since(start));
  }
  return gpu_vulkan::calibrate::median(all);
}

/// On processors far from each other: which of them is near to the memory or to the device, nobody says.
void Submits::reading(const std::string& what, const DeviceBuffer& memory) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::vector<std::size_t> processors;
  for (std::size_t c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &allowed)) processors.push_back(c);
  constexpr std::size_t parts = 4;
  for (std::size_t k = 0; k < std::min(parts, processors.size()); ++k) {
    const std::size_t chosen = processors[k * processors.size() / std::min(parts, processors.size())];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(chosen, &one);
    sched_setaffinity(0, sizeof one, &one);
    std::cout << fmt::format(
                     "reading 4 KiB of {:30} on processor {:3}: {:6.2f} us; touched before {:6.2f}; and on {:6.2f}",
                     what, chosen, us_of_reading(memory, Touch::never), us_of_reading(memory, Touch::once),
                     us_of_reading(memory, Touch::always))
              << std::endl;
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

void Submits::reading_all() {
  reading("the host's cached memory", on_host_);
  const auto try_it = [&](const std::string& what, const auto& make) {
    try {
      reading(what, make());
    } catch (const ir::Error& error) {
      std::cout << what << ": " << error.what() << std::endl;
    }
  };
  try_it("the device's memory",
         [&] { return DeviceBuffer(runtime_.device, bytes, MemoryUse::device_mapped, Holder::buffers); });
  constexpr std::size_t page = std::size_t{1} << 16;
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  const std::unique_ptr<std::byte, Free> own(static_cast<std::byte*>(std::aligned_alloc(page, page)));
  std::memset(own.get(), 0, page);
  try_it("memory of the program's own", [&] { return DeviceBuffer(runtime_.device, std::span(own.get(), page)); });
}

void Submits::print() {
  std::cout << runtime_.device.facts().name << std::endl;
  const Recorded nothing = [](Commands&) {};
  by_timeline("nothing", nothing);
  by_timeline("a barrier from shaders to the host",
              [](Commands& commands) { commands.barrier(Access::shader, Access::host); });
  by_timeline("a barrier from shaders and copies to the host",
              [](Commands& commands) { commands.barrier(Access::shader | Access::transfer, Access::host); });
  by_timeline("a kernel, 4 KiB to the device's memory", kernels(1, false));
  by_timeline("a kernel, 4 KiB to the host's memory", kernels(1, true));
  by_timeline("two kernels with a barrier between, to the host's memory", kernels(2, true));
  by_timeline("three kernels, to the host's memory", kernels(3, true));
  by_fence("nothing, seen by a fence", nothing);
  by_fence("two kernels, seen by a fence", kernels(2, true));
  by_memory("nothing, seen in memory", nothing, true);
  by_memory("nothing, seen in memory, without a semaphore", nothing, false);
  by_memory("two kernels, seen in memory, without a semaphore", kernels(2, true), false);
  asking();
  reading_all();
}

}  // namespace

void print_submits(gpu_vulkan::device::VulkanOptions options, std::size_t least_runs) {
  Submits(options, least_runs).print();
}

}  // namespace plumb::bench
