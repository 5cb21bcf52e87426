// Stacks of scratch for the kernels of a run and the threads of their loops.
#include "ref_cpu/scratch.hpp"

#include <algorithm>
#include <utility>

namespace plumb::ref_cpu {
namespace {

constexpr std::size_t smallest_block = 4096;

std::size_t aligned(std::size_t bytes) {
  return (bytes + ScratchStack::alignment - 1) / ScratchStack::alignment * ScratchStack::alignment;
}

thread_local CurrentScratch current;

}  // namespace

ScratchStack::Block ScratchStack::block_of(std::size_t bytes) {
  Block block{nullptr, std::max(bytes, smallest_block), 0};
  block.data.reset(static_cast<std::byte*>(::operator new(block.bytes, std::align_val_t(alignment))));
  return block;
}

void* ScratchStack::take(std::size_t bytes) {
  bytes = aligned(bytes);
  while (at_ < blocks_.size() && blocks_[at_].bytes - blocks_[at_].used < bytes) ++at_;
  if (at_ == blocks_.size()) blocks_.push_back(block_of(std::max(bytes, depth_)));
  Block& block = blocks_[at_];
  std::byte* const taken = block.data.get() + block.used;
  block.used += bytes;
  depth_ += bytes;
  peak_ = std::max(peak_, depth_);
  return taken;
}

void ScratchStack::give_back(void* memory, std::size_t bytes) noexcept {
  bytes = aligned(bytes);
  Block& block = blocks_[at_];
  if (block.used < bytes || memory != block.data.get() + block.used - bytes) return;
  block.used -= bytes;
  depth_ -= bytes;
  while (at_ > 0 && blocks_[at_].used == 0) --at_;
}

ScratchStack::Mark ScratchStack::mark() const { return {at_, at_ < blocks_.size() ? blocks_[at_].used : 0, depth_}; }

void ScratchStack::return_to(const Mark& mark) noexcept {
  for (std::size_t i = mark.block + 1; i < blocks_.size(); ++i) blocks_[i].used = 0;
  if (mark.block < blocks_.size()) blocks_[mark.block].used = mark.used;
  at_ = mark.block;
  depth_ = mark.depth;
}

void ScratchStack::reserve(std::size_t bytes) {
  if (bytes == 0 || (blocks_.size() == 1 && blocks_.front().bytes >= bytes)) return;
  blocks_.clear();
  blocks_.push_back(block_of(bytes));
  at_ = 0;
}

void Scratch::provide(std::size_t threads) {
  while (threads_.size() < threads) threads_.emplace_back();
}

void Scratch::settle() {
  main_.reserve(main_.peak());
  std::size_t most = 0;
  for (const ScratchStack& one : threads_) most = std::max(most, one.peak());
  for (ScratchStack& one : threads_) one.reserve(most);
}

CurrentScratch current_scratch() { return current; }

ScratchScope::ScratchScope(const CurrentScratch& of)
    : current_(of), before_(std::exchange(current, of)), mark_(of.stack->mark()) {}

ScratchScope::~ScratchScope() {
  current_.stack->return_to(mark_);
  current = before_;
}

}  // namespace plumb::ref_cpu
