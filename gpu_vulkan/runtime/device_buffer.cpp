// A buffer with memory of its own, of the type that its use wants, mapped where the host reads or writes it.
#include "gpu_vulkan/runtime/device_buffer.hpp"

#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

std::uint32_t memory_type(const driver::Device& device, std::uint32_t allowed, MemoryUse use) {
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                  mapped = visible | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                  cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  switch (use) {
    case MemoryUse::device:
      return device.memory_type(allowed, local, visible);
    case MemoryUse::device_mapped:
      return device.memory_type(allowed, local | mapped, 0);
    case MemoryUse::upload:
      return device.memory_type(allowed, mapped, local | cached);
    case MemoryUse::readback:
      break;
  }
  try {
    return device.memory_type(allowed, mapped | cached, local);
  } catch (const ir::DeviceError&) {
    return device.memory_type(allowed, mapped, local);
  }
}

driver::Buffer make_buffer(const driver::Device& device, std::size_t bytes) {
  auto info = driver::structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return driver::create<driver::Buffer>("vkCreateBuffer", vkCreateBuffer, device.get(), info, " for ", bytes, " bytes");
}

}  // namespace

DeviceBuffer::DeviceBuffer(const driver::Device& device, std::size_t bytes, MemoryUse use)
    : buffer_(make_buffer(device, bytes)), size_(bytes) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.get(), buffer_.get(), &needs);
  auto info = driver::structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  info.memoryTypeIndex = memory_type(device, needs.memoryTypeBits, use);
  memory_ = driver::create<driver::Memory>("vkAllocateMemory", vkAllocateMemory, device.get(), info, " for ",
                                           needs.size, " bytes on ", device.facts().name);
  driver::check(vkBindBufferMemory(device.get(), buffer_.get(), memory_.get(), 0), "vkBindBufferMemory");
  if (use == MemoryUse::device) return;
  void* address = nullptr;
  driver::check(vkMapMemory(device.get(), memory_.get(), 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory", " for ", bytes,
                " bytes");
  mapped_ = {static_cast<std::byte*>(address), bytes};
}

}  // namespace plumb::gpu_vulkan::runtime
