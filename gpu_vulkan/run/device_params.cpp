// Uploads once: params that executables share, and the resident buffers of a plan.
#include "gpu_vulkan/run/device_params.hpp"

#include "gpu_vulkan/runtime/staging.hpp"
#include "ir/raw/copy_bytes.hpp"
#include "ir/raw/mappings.hpp"

namespace plumb::gpu_vulkan::run {

DeviceParams::DeviceParams(const std::shared_ptr<runtime::Runtime>& runtime, ir::Feeds feeds, device::Staging staging)
    : runtime_(runtime.get()), feeds_(std::move(feeds)) {
  for (const auto& [name, tensor] : feeds_) {
    auto memory =
        std::make_shared<DeviceMemory>(runtime, tensor.bytes().size(), staging, runtime::driver::Holder::params);
    memory->write(tensor.bytes(), {{0, 0, tensor.bytes().size()}});
    ir::raw::release_after_use(tensor.bytes());
    memory->refuse("it is a param, of which executables may have other forms");
    memories_.emplace(name, std::move(memory));
  }
}

const std::shared_ptr<DeviceMemory>& DeviceParams::memory(std::string_view name) const {
  const auto found = memories_.find(name);
  ir::require(found != memories_.end(), "there is no param '", name, "'");
  return found->second;
}

ir::Buffer DeviceParams::buffer(std::string_view name) const {
  return {memory(name), feeds_.find(name)->second.type(), ir::cat("param '", name, "'")};
}

/// Runs that were submitted are done with the old value before it is written over.
void DeviceParams::replace(std::string_view name, const ir::TensorView& value) {
  memory(name)->write(value.bytes(), {{0, 0, value.bytes().size()}});
  ir::raw::copy_bytes(value.bytes(), feeds_.find(name)->second.view().bytes());
}

bool writes_directly(const runtime::Runtime& runtime, const device::VulkanOptions& options) {
  // The device fills zones before every run, which would wipe out what the host wrote.
  return options.staging == device::Staging::automatic && !options.redzone &&
         runtime.device.facts().host_visible_device_local;
}

Residents::Residents(runtime::Runtime& runtime, const plan::Plan& plan, const device::VulkanOptions& options,
                     const Contents& contents, HeldSlots held)
    : held_(std::move(held)) {
  const bool is_direct = writes_directly(runtime, options);
  buffers_.resize(plan.arena.resident_buffers);
  for (const auto& [slot, memory] : held_)
    buffers_.at(plan.arena.places.at(slot).buffer) = {memory->get(), memory->host_view()};
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    if (buffers_[b].buffer != VK_NULL_HANDLE) continue;
    own_.emplace_back(runtime.device, plan.arena.buffers[b],
                      is_direct ? runtime::MemoryUse::device_mapped : runtime::MemoryUse::device,
                      runtime::driver::Holder::executables);
    buffers_[b] = {own_.back().get(), own_.back().mapped()};
  }
  if (own_.empty()) return;
  const auto release_all = [&] {
    for (const auto& [slot, bytes] : contents) ir::raw::release_after_use(bytes);
  };
  const auto place = [&](plan::Slot slot) { return plan.arena.places.at(slot); };
  if (is_direct) {
    for (const auto& [slot, bytes] : contents)
      if (!held_.contains(slot))
        ir::raw::copy_bytes(bytes, buffers_[place(slot).buffer].mapped.subspan(place(slot).offset));
    release_all();
    return;
  }
  runtime::Uploader uploader(runtime.device, runtime.timeline);
  if (options.redzone)
    for (const runtime::DeviceBuffer& buffer : own_) uploader.fill({buffer.get(), 0, VK_WHOLE_SIZE}, plan::zone_word);
  for (const auto& [slot, bytes] : contents)
    if (!held_.contains(slot))
      uploader.upload({buffers_[place(slot).buffer].buffer, place(slot).offset, bytes.size()}, bytes);
  uploader.flush();
  release_all();
}

std::uint64_t Residents::bytes() const {
  std::uint64_t bytes = runtime::bytes_of(own_);
  for (const auto& [slot, memory] : held_)
    if (memory.use_count() == 1) bytes += memory->bytes();
  return bytes;
}

}  // namespace plumb::gpu_vulkan::run
