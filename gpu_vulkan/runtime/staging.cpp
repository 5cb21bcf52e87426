// Staging memory: places reserved in few mapped buffers, and an uploader that copies large data piece by piece.
#include "gpu_vulkan/runtime/staging.hpp"

#include <algorithm>

#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

constexpr std::size_t upload_bytes = std::size_t{32} << 20;
constexpr std::chrono::minutes patience{10};  // for copies: a device that takes longer is gone

}  // namespace

std::size_t StagingBuffers::reserve(std::size_t bytes) {
  const auto alignment = std::max<std::size_t>(64, device_.facts().offset_alignment);  // shaders may use it
  const std::size_t whole = (std::max<std::size_t>(bytes, 4) + alignment - 1) / alignment * alignment;
  if (sizes_.empty() || sizes_.back() + whole > device_.facts().max_allocation) sizes_.push_back(0);
  places_.push_back({sizes_.size() - 1, sizes_.back(), bytes});
  sizes_.back() += whole;
  return places_.size() - 1;
}

void StagingBuffers::allocate() {
  for (const std::size_t size : sizes_) buffers_.emplace_back(device_, size, use_, holder_);
}

BufferRange StagingBuffers::range(std::size_t place) const {
  const Reserved& at = places_.at(place);
  return {buffers_.at(at.buffer).get(), at.offset, at.bytes};
}

std::span<std::byte> StagingBuffers::bytes(std::size_t place) const {
  const Reserved& at = places_.at(place);
  return buffers_.at(at.buffer).mapped().subspan(at.offset, at.bytes);
}

Uploader::Uploader(const driver::Device& device, Timeline& timeline)
    : device_(device),
      timeline_(timeline),
      staging_(device, std::min<std::size_t>(upload_bytes, device.facts().max_allocation), MemoryUse::upload,
               driver::Holder::transfers),
      pool_(make_command_pool(device)) {}

void Uploader::upload(BufferRange to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_ == staging_.size()) flush();
    const auto part = std::min(bytes.size(), staging_.size() - used_);
    ir::raw::copy_bytes(bytes.first(part), staging_.mapped().subspan(used_));
    copies_.push_back({{staging_.get(), used_, part}, {to.buffer, to.offset, part}});
    used_ += part;
    to.offset += part;
    bytes = bytes.subspan(part);
  }
}

void Uploader::fill(const BufferRange& range, std::uint32_t word) {
  Commands commands(device_, pool_.get());
  commands.fill(range, word);
  commands.barrier(Access::transfer, Access::transfer | Access::shader);
  commands.end();
  timeline_.wait(timeline_.submit(commands.get()), patience);
}

void Uploader::flush() {
  if (copies_.empty()) return;
  Commands commands(device_, pool_.get());
  for (const auto& [source, destination] : copies_) commands.copy(source, destination);
  commands.barrier(Access::transfer, Access::transfer | Access::shader);  // for every later submit
  commands.end();
  timeline_.wait(timeline_.submit(commands.get()), patience);
  copies_.clear();
  used_ = 0;
}

}  // namespace plumb::gpu_vulkan::runtime
