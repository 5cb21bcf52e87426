#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumb::ref_cpu {

/// A block of memory and the steps, inclusive, from which to which it must keep its bytes.
struct Lifetime {
  std::size_t bytes = 0, first = 0, last = 0;
};

/// Where each block lies in one arena. Blocks whose lifetimes meet do not overlap.
struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< multiples of 64
  std::size_t bytes = 0;             ///< the arena's
};

/// Places the largest block first, each at the lowest offset that is free for all its life.
MemoryPlan plan_memory(std::span<const Lifetime> blocks);

}  // namespace plumb::ref_cpu
