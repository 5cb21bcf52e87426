// Places blocks in one arena, the largest first, each at the lowest offset that is free for all its life.
#include "ref_cpu/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace plumb::ref_cpu {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> blocks) {
  std::vector<std::size_t> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });

  MemoryPlan plan{std::vector<std::size_t>(blocks.size()), 0};
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : by_size) {
    const std::size_t size = aligned(blocks[i].bytes);
    std::size_t offset = 0;
    for (const std::size_t j : placed) {
      const bool meet = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      if (!meet) continue;
      if (offset + size <= plan.offsets[j]) break;  // fits before j
      offset = std::max(offset, plan.offsets[j] + aligned(blocks[j].bytes));
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + size);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, [&](std::size_t j) { return plan.offsets[j]; }), i);
  }
  return plan;
}

}  // namespace plumb::ref_cpu
