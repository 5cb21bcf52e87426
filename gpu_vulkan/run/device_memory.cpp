// Buffers of a device: read and written by the host where it sees them, else by transfers.
#include "gpu_vulkan/run/device_memory.hpp"

#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

constexpr std::chrono::minutes patience{10};  // for runs that others wait for with a time of their own

std::size_t whole_words(std::size_t bytes) { return std::max<std::size_t>(4, (bytes + 3) / 4 * 4); }

bool is_mapped(const runtime::Runtime& runtime, device::Staging staging) {
  return staging == device::Staging::automatic && runtime.device.facts().host_visible_device_local;
}

runtime::MemoryUse use_of(const runtime::Runtime& runtime, device::Staging staging, Side side) {
  if (side == Side::host) return runtime::MemoryUse::readback;
  return is_mapped(runtime, staging) ? runtime::MemoryUse::device_mapped : runtime::MemoryUse::device;
}

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<runtime::Runtime> runtime, std::size_t bytes, device::Staging staging,
                           runtime::driver::Holder holder, Side side)
    : runtime_(std::move(runtime)), bytes_(bytes) {
  const std::size_t words = whole_words(bytes), most = runtime_->device.facts().max_allocation;
  if (words > most)
    throw ir::Unsupported(
        ir::cat("a buffer of ", bytes, " bytes: ", runtime_->device.facts().name, " has at most ", most));
  const auto use = use_of(*runtime_, staging, side);
  buffer_ = std::make_unique<runtime::DeviceBuffer>(runtime_->device, words, use, holder);
  is_read_in_place_ = side == Side::host ||
                      (use == runtime::MemoryUse::device_mapped && runtime_->device.facts().host_cached_device_local);
  if (use != runtime::MemoryUse::device) {
    std::ranges::fill(buffer_->mapped(), std::byte{0});
    return;
  }
  used_by(runtime_->transfers.zero(target(), words), true);
}

DeviceMemory::DeviceMemory(std::shared_ptr<runtime::Runtime> runtime, std::span<std::byte> memory,
                           std::shared_ptr<void> owner)
    : runtime_(std::move(runtime)),
      owner_(std::move(owner)),
      bytes_(memory.size()),
      is_read_in_place_(true),
      buffer_(std::make_unique<runtime::DeviceBuffer>(runtime_->device, memory)) {}

DeviceMemory::~DeviceMemory() {
  try {
    if (runtime_->timeline.wait_for(used_, std::chrono::seconds(10))) return;
  } catch (const ir::DeviceError&) {  // a lost device uses nothing
    return;
  }
  // A silent device may still write these.
  static_cast<void>(buffer_.release());
  static_cast<void>(new std::shared_ptr<void>(owner_));
}

DeviceMemory& on_device(const std::shared_ptr<ir::Memory>& memory) { return static_cast<DeviceMemory&>(*memory); }

void DeviceMemory::used_by(std::uint64_t number, bool is_written) {
  runtime::raise(used_, number);
  if (is_written) runtime::raise(written_, number);
}

void DeviceMemory::wait_until_unused() {
  if (!runtime_->timeline.wait_for(used_, patience)) throw ir::DeviceError("a run did not end in 10 minutes");
}

std::span<std::byte> DeviceMemory::mapped() {
  if (host_view().empty() && bytes_ > 0)
    throw ir::Unsupported(ir::cat("the host does not see the memory of ", runtime_->device.facts().name));
  return host_view();
}

void DeviceMemory::write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) {
  if (dense.empty()) return;
  if (!host_view().empty() && runtime_->timeline.reached(used_)) {
    for (const ir::Stretch& one : to)
      ir::raw::copy_bytes(dense.subspan(one.in_box, one.bytes), host_view().subspan(one.in_tensor, one.bytes));
    return;
  }
  used_by(runtime_->transfers.upload(target(), dense, to), true);
}

void DeviceMemory::read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) {
  if (dense.empty()) return;
  if (is_read_in_place_) {
    if (!runtime_->timeline.wait_for(written_, patience)) throw ir::DeviceError("a run did not end in 10 minutes");
    for (const ir::Stretch& one : from)
      ir::raw::copy_bytes(host_view().subspan(one.in_tensor, one.bytes), dense.subspan(one.in_box, one.bytes));
    return;
  }
  runtime_->transfers.download(target(), dense, from);
}

void DeviceMemory::copy(ir::Memory& from, const std::vector<Piece>& pieces) {
  if (pieces.empty()) return;
  auto& source = static_cast<DeviceMemory&>(from);
  const std::uint64_t number = runtime_->transfers.copy(source.target(), target(), pieces);
  source.used_by(number, false);
  used_by(number, true);
}

}  // namespace plumb::gpu_vulkan::run
