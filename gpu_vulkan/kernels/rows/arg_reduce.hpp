#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

/// Which extreme of a line is looked for.
struct ArgExtreme {
  bool smallest = false, last = false;
};

/// For each line of input 0 along `axis` the position of its extreme, as a number of
/// `words` 32-bit words, to `to`.
void lower_arg_reduce(std::int64_t axis, ArgExtreme extreme, plan::Slot to, std::uint32_t words, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::rows
