// Copies between buffers, and through mapped memory that grows with what passes through it.
#include "gpu_vulkan/runtime/transfers.hpp"

#include <algorithm>
#include <bit>

#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

constexpr std::size_t least_stage = std::size_t{64} << 10, most_stage = std::size_t{32} << 20;
constexpr std::size_t most_regions = 1024;            // one copy command has so many
constexpr std::chrono::minutes longest_transfer{10};  // a device that takes longer is gone
constexpr Access anybody = Access::transfer | Access::shader | Access::host;

/// The parts of regions that lie in a piece of the dense side, which then begins at 0.
std::vector<VkBufferCopy> within(const std::vector<VkBufferCopy>& regions, VkDeviceSize VkBufferCopy::*dense,
                                 VkDeviceSize begin, VkDeviceSize end) {
  VkDeviceSize VkBufferCopy::*const sparse =
      dense == &VkBufferCopy::srcOffset ? &VkBufferCopy::dstOffset : &VkBufferCopy::srcOffset;
  std::vector<VkBufferCopy> parts;
  const auto ends_behind = [&](const VkBufferCopy& region) { return region.*dense + region.size <= begin; };
  for (auto region = std::ranges::partition_point(regions, ends_behind);
       region != regions.end() && (*region).*dense < end; ++region) {
    const VkDeviceSize skipped = std::max(begin, (*region).*dense) - (*region).*dense;
    VkBufferCopy part;
    part.*dense = (*region).*dense + skipped - begin;
    part.*sparse = (*region).*sparse + skipped;
    part.size = std::min(end, (*region).*dense + region->size) - ((*region).*dense + skipped);
    parts.push_back(part);
  }
  return parts;
}

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
    stage.buffer.emplace(device_, wanted, stage.use);
  }
  return stage.buffer->size();
}

std::uint64_t Transfers::submit(const Uses& uses, const std::function<void(Commands&)>& record) {
  if (!recorded_.empty() && timeline_.reached(recorded_.front().number)) {
    recorded_.push_back(std::move(recorded_.front()));
    recorded_.pop_front();
    recorded_.back().commands.begin_again();
  } else {
    recorded_.push_back({Commands(device_, pool_.get(), VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT), 0});
  }
  Recorded& here = recorded_.back();
  record(here.commands);
  here.commands.barrier(Access::transfer, anybody);
  here.commands.end();
  return here.number = submitter_.submit(here.commands, uses);
}

std::uint64_t Transfers::submit_copies(VkBuffer from, VkBuffer to, const Uses& uses,
                                       std::span<const VkBufferCopy> regions) {
  return submit(uses, [&](Commands& commands) {
    for (std::size_t at = 0; at < regions.size(); at += most_regions)
      commands.copy(from, to, regions.subspan(at, std::min(most_regions, regions.size() - at)));
  });
}

std::uint64_t Transfers::upload(Target to, std::span<const std::byte> dense, const std::vector<VkBufferCopy>& regions) {
  for (std::size_t at = 0; at < dense.size();) {
    const std::size_t part = std::min(dense.size() - at, make_room(up_, dense.size() - at));
    ir::raw::copy_bytes(dense.subspan(at, part), up_.buffer->mapped());
    up_.number = submit_copies(up_.buffer->get(), to.buffer, {{}, {to.memory}},
                               within(regions, &VkBufferCopy::srcOffset, at, at + part));
    at += part;
  }
  return up_.number;
}

void Transfers::download(Target from, std::span<std::byte> dense, const std::vector<VkBufferCopy>& regions) {
  for (std::size_t at = 0; at < dense.size();) {
    const std::size_t part = std::min(dense.size() - at, make_room(down_, dense.size() - at));
    down_.number = submit_copies(from.buffer, down_.buffer->get(), {{from.memory}, {&down_}},
                                 within(regions, &VkBufferCopy::dstOffset, at, at + part));
    wait_for(down_.number);
    ir::raw::copy_bytes(down_.buffer->mapped().first(part), dense.subspan(at, part));
    at += part;
  }
}

std::uint64_t Transfers::copy(Target from, Target to, const std::vector<VkBufferCopy>& regions) {
  return submit_copies(from.buffer, to.buffer, {{from.memory}, {to.memory}}, regions);
}

std::uint64_t Transfers::zero(Target to, std::size_t bytes) {
  return submit({{}, {to.memory}}, [&](Commands& commands) { commands.fill({to.buffer, 0, bytes}, 0); });
}

}  // namespace plumb::gpu_vulkan::runtime
