// Boxes whose place is an operand.
#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {

enum class BoxIs {
  read,
  written,
  written_over,  ///< into an operand in place, unless a fault was raised before
};

/// Copies a box of shape `box` out of a tensor of type `whole`, or into it. Where the box begins is in the operand
/// `starts`, clamped so that it lies inside (ops.md 4, dynamic_slice).
struct DynamicBox {
  ir::TensorType whole;
  ir::Shape box;
  std::size_t starts;  ///< which input
  plan::Slot from, to;
};
void dynamic_box(BoxIs is, const DynamicBox& copy, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::indexing
