// A buffer with memory of its own, of the type that its use wants, mapped where the host reads or writes it; or with
// memory of the host's.
#include "gpu_vulkan/runtime/device_buffer.hpp"

#include "gpu_vulkan/runtime/driver/facts.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"
#include "gpu_vulkan/runtime/imported_memory.hpp"

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

/// Memory that the host and the device see each other write, without a call between.
std::uint32_t imported_memory_type(const driver::Device& device, std::uint32_t allowed) {
  try {
    return memory_type(device, allowed, MemoryUse::readback);
  } catch (const ir::DeviceError& error) {
    throw ir::Unsupported(error.what());
  }
}

driver::Buffer make_buffer(const driver::Device& device, std::size_t bytes, const void* next = nullptr) {
  auto info = driver::structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.pNext = next;
  info.size = bytes;
  info.usage = driver::buffer_usage;
  return driver::create<driver::Buffer>("vkCreateBuffer", vkCreateBuffer, device.get(), info, " for ", bytes, " bytes",
                                        device.ledger());
}

constexpr VkExternalMemoryHandleTypeFlagBits host_memory = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

driver::Buffer make_buffer_of_host_memory(const driver::Device& device, std::span<const std::byte> memory) {
  if (const std::string why = why_not_imported(device.facts(), memory); !why.empty()) throw ir::Unsupported(why);
  auto external =
      driver::structure<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = host_memory;
  return make_buffer(device, memory.size(), &external);
}

/// A driver may refuse memory for reasons of its own, as memory that a file lies in.
template <class... Details>
void check_import(VkResult result, std::string_view call, const Details&... details) {
  if (result == VK_ERROR_DEVICE_LOST) driver::check(result, call, details...);
  if (result != VK_SUCCESS) throw ir::Unsupported(ir::cat(call, " returned ", driver::result_name(result), details...));
}

}  // namespace

DeviceBuffer::DeviceBuffer(const driver::Device& device, std::size_t bytes, MemoryUse use, driver::Holder holder)
    : buffer_(make_buffer(device, bytes)), size_(bytes) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.get(), buffer_.get(), &needs);
  auto info = driver::structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  info.memoryTypeIndex = memory_type(device, needs.memoryTypeBits, use);
  memory_ = driver::create<driver::Memory>("vkAllocateMemory", vkAllocateMemory, device.get(), info, " for ",
                                           needs.size, " bytes on ", device.facts().name, device.ledger());
  entry_ = device.ledger().enter(holder, needs.size);
  driver::check(vkBindBufferMemory(device.get(), buffer_.get(), memory_.get(), 0), "vkBindBufferMemory");
  if (use == MemoryUse::device) return;
  void* address = nullptr;
  driver::check(vkMapMemory(device.get(), memory_.get(), 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory", " for ", bytes,
                " bytes");
  mapped_ = {static_cast<std::byte*>(address), bytes};
}

DeviceBuffer::DeviceBuffer(const driver::Device& device, std::span<std::byte> memory)
    : buffer_(make_buffer_of_host_memory(device, memory)), size_(memory.size()), mapped_(memory) {
  const auto what = ir::cat(" for ", size_, " bytes of the host's memory on ", device.facts().name);
  auto host = driver::structure<VkMemoryHostPointerPropertiesEXT>(VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT);
  check_import(device.host_pointer_properties()(device.get(), host_memory, memory.data(), &host),
               "vkGetMemoryHostPointerPropertiesEXT", what);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.get(), buffer_.get(), &needs);
  if (needs.size > size_) throw ir::Unsupported(ir::cat("a buffer takes ", needs.size, " bytes", what));
  auto imported =
      driver::structure<VkImportMemoryHostPointerInfoEXT>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  imported.handleType = host_memory;
  imported.pHostPointer = memory.data();
  auto info = driver::structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &imported);
  info.allocationSize = size_;
  info.memoryTypeIndex = imported_memory_type(device, needs.memoryTypeBits & host.memoryTypeBits);
  VkDeviceMemory raw = VK_NULL_HANDLE;
  check_import(vkAllocateMemory(device.get(), &info, nullptr, &raw), "vkAllocateMemory", what);
  memory_ = driver::Memory(device.get(), raw);
  driver::check(vkBindBufferMemory(device.get(), buffer_.get(), raw, 0), "vkBindBufferMemory");
}

}  // namespace plumb::gpu_vulkan::runtime
