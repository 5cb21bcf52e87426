#pragma once

#include "ir/ops/toy.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// An op that only tests/new_op adds, as passes make them.
struct ToyPair : ir::ops::Toy {
  static constexpr auto name = "toy_pair";
  bool operator==(const ToyPair&) const = default;
};

}  // namespace plumb::gpu_vulkan::fused_ops
