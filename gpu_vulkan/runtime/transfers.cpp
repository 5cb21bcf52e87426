// Copies between buffers, and through mapped memory that grows with what passes through it.
#include "gpu_vulkan/runtime/transfers.hpp"

#include <algorithm>
#include <bit>

#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

constexpr std::size_t least_stage = std::size_t{64} << 10, most_stage = std::size_t{32} << 20;
constexpr std::size_t most_regions = 1024;               // one copy command has so many
constexpr std::chrono::minutes longest_transfer{10};     // a device that takes longer is gone
constexpr std::size_t most_kept = std::size_t{1} << 16;  // regions, whose memory waits for the next copy
constexpr Access anybody = Access::transfer | Access::shader | Access::host;

}  // namespace

Transfers::Transfers(const driver::Device& device, Timeline& timeline, Submitter& submitter)
    : device_(device),
      timeline_(timeline),
      submitter_(submitter),
      pool_(make_command_pool(device, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT)) {}

void Transfers::wait_for(std::uint64_t number) {
  if (!timeline_.wait_for(number, longest_transfer)) throw ir::DeviceError("a copy did not end in 10 minutes");
}

std::size_t Transfers::make_room(Stage& stage, std::size_t bytes) {
  wait_for(stage.number);
  const std::size_t most = std::min<std::size_t>(most_stage, device_.facts().max_allocation);
  const std::size_t wanted = std::min(most, std::max(least_stage, std::bit_ceil(std::min(bytes, most))));
  if (!stage.buffer || stage.buffer->size() < wanted) {
    stage.buffer.reset();
    stage.buffer.emplace(device_, wanted, stage.use, driver::Holder::transfers);
  }
  return stage.buffer->size();
}

/// The regions of a piece of the box, which begins where its stage does.
void Transfers::find_regions(std::span<const ir::Stretch> box, std::size_t begin, std::size_t end,
                             Direction direction) {
  regions_.clear();
  const auto ends_before = [&](const ir::Stretch& one) { return one.in_box + one.bytes <= begin; };
  for (auto one = std::ranges::partition_point(box, ends_before); one != box.end() && one->in_box < end; ++one) {
    const std::size_t first = std::max(begin, one->in_box), last = std::min(end, one->in_box + one->bytes);
    VkBufferCopy region{first - begin, one->in_tensor + first - one->in_box, last - first};
    if (direction == Direction::down) std::swap(region.srcOffset, region.dstOffset);
    regions_.push_back(region);
  }
}

template <class Record>
std::uint64_t Transfers::submit(const void* read, const void* written, const Record& record) {
  if (!recorded_.empty() && timeline_.reached(recorded_.front().number)) {
    recorded_.splice(recorded_.end(), recorded_, recorded_.begin());
    recorded_.back().commands.begin_again();
  } else {
    recorded_.push_back({Commands(device_, pool_.get(), VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT), 0});
  }
  Recorded& here = recorded_.back();
  record(here.commands);
  here.commands.barrier(Access::transfer, anybody);
  here.commands.end();
  const Uses uses{{&read, read == nullptr ? 0u : 1u}, {&written, 1}};
  return here.number = submitter_.submit(here.commands, uses);
}

std::uint64_t Transfers::submit_copies(Target from, Target to) {
  const std::uint64_t number = submit(from.memory, to.memory, [&](Commands& commands) {
    const std::span<const VkBufferCopy> regions(regions_);
    for (std::size_t at = 0; at < regions.size(); at += most_regions)
      commands.copy(from.buffer, to.buffer, regions.subspan(at, std::min(most_regions, regions.size() - at)));
  });
  if (regions_.capacity() > most_kept) regions_ = {};
  return number;
}

std::uint64_t Transfers::upload(Target to, std::span<const std::byte> dense, std::span<const ir::Stretch> box) {
  const std::scoped_lock turn(turns_);
  for (std::size_t at = 0; at < dense.size();) {
    const std::size_t part = std::min(dense.size() - at, make_room(up_, dense.size() - at));
    ir::raw::copy_bytes(dense.subspan(at, part), up_.buffer->mapped());
    find_regions(box, at, at + part, Direction::up);
    up_.number = submit_copies({up_.buffer->get(), nullptr}, to);
    at += part;
  }
  return up_.number;
}

void Transfers::download(Target from, std::span<std::byte> dense, std::span<const ir::Stretch> box) {
  const std::scoped_lock turn(turns_);
  for (std::size_t at = 0; at < dense.size();) {
    const std::size_t part = std::min(dense.size() - at, make_room(down_, dense.size() - at));
    find_regions(box, at, at + part, Direction::down);
    down_.number = submit_copies(from, {down_.buffer->get(), &down_});
    wait_for(down_.number);
    ir::raw::copy_bytes(down_.buffer->mapped().first(part), dense.subspan(at, part));
    at += part;
  }
}

std::uint64_t Transfers::copy(Target from, Target to, std::span<const ir::Memory::Piece> pieces) {
  const std::scoped_lock turn(turns_);
  regions_.clear();
  for (const ir::Memory::Piece& piece : pieces) regions_.push_back({piece.from, piece.to, piece.bytes});
  return submit_copies(from, to);
}

std::uint64_t Transfers::zero(Target to, std::size_t bytes) {
  const std::scoped_lock turn(turns_);
  return submit(nullptr, to.memory, [&](Commands& commands) { commands.fill({to.buffer, 0, bytes}, 0); });
}

}  // namespace plumb::gpu_vulkan::runtime
