// Command buffers of one pool: barriers by kind of access, copies, dispatches with push descriptors, timestamps.
#include "gpu_vulkan/runtime/commands.hpp"

#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

struct Scope {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 reads = 0, writes = 0;
};

Scope scope(Access access) {
  Scope all;
  const auto add = [&](Access one, VkPipelineStageFlags2 stage, VkAccessFlags2 reads, VkAccessFlags2 writes) {
    if ((static_cast<unsigned>(access) & static_cast<unsigned>(one)) == 0) return;
    all.stages |= stage;
    all.reads |= reads;
    all.writes |= writes;
  };
  add(Access::host, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT, VK_ACCESS_2_HOST_WRITE_BIT);
  add(Access::transfer, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
      VK_ACCESS_2_TRANSFER_WRITE_BIT);
  add(Access::shader, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  return all;
}

}  // namespace

driver::CommandPool make_command_pool(const driver::Device& device, VkCommandPoolCreateFlags flags) {
  auto info = driver::structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.queueFamilyIndex = device.queue_family();
  info.flags = flags;
  return driver::create<driver::CommandPool>("vkCreateCommandPool", vkCreateCommandPool, device.get(), info);
}

Commands::Commands(const driver::Device& device, VkCommandPool pool, VkCommandBufferUsageFlags usage)
    : device_(device), usage_(usage) {
  auto allocate = driver::structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  driver::check(vkAllocateCommandBuffers(device.get(), &allocate, &commands_), "vkAllocateCommandBuffers");
  begin_again();
}

void Commands::begin_again() {
  auto begin = driver::structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = usage_;
  driver::check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
}

void Commands::end() { driver::check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer"); }

void Commands::barrier(Access from, Access to) {
  auto memory = driver::structure<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  const Scope before = scope(from), after = scope(to);
  memory.srcStageMask = before.stages;
  memory.srcAccessMask = before.writes;
  memory.dstStageMask = after.stages;
  memory.dstAccessMask = after.reads | after.writes;
  auto info = driver::structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  vkCmdPipelineBarrier2(commands_, &info);
}

void Commands::fill(const BufferRange& range, std::uint32_t word) {
  vkCmdFillBuffer(commands_, range.buffer, range.offset, range.bytes, word);
}

void Commands::copy(const BufferRange& source, const BufferRange& destination) {
  const VkBufferCopy region{source.offset, destination.offset, source.bytes};
  copy(source.buffer, destination.buffer, {&region, 1});
}

void Commands::copy(VkBuffer source, VkBuffer destination, std::span<const VkBufferCopy> regions) {
  vkCmdCopyBuffer(commands_, source, destination, static_cast<std::uint32_t>(regions.size()), regions.data());
}

void Commands::dispatch(const Pipeline& pipeline, std::span<const BufferRange> bindings,
                        std::span<const std::byte> push, const std::array<std::uint32_t, 3>& groups) {
  std::vector<VkDescriptorBufferInfo> ranges;
  for (const BufferRange& range : bindings) ranges.push_back({range.buffer, range.offset, range.bytes});
  std::vector<VkWriteDescriptorSet> writes;
  for (std::uint32_t b = 0; b < ranges.size(); ++b) {
    auto write = driver::structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstBinding = b;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &ranges[b];
    writes.push_back(write);
  }
  vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
  device_.push_descriptors()(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
                             static_cast<std::uint32_t>(writes.size()), writes.data());
  if (!push.empty())
    vkCmdPushConstants(commands_, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<std::uint32_t>(push.size()), push.data());
  vkCmdDispatch(commands_, groups[0], groups[1], groups[2]);
}

void Commands::timestamp(VkQueryPool queries, std::uint32_t query) {
  vkCmdWriteTimestamp2(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, query);
}

}  // namespace plumb::gpu_vulkan::runtime
