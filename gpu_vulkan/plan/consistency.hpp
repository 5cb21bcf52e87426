#pragma once

#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::gpu_vulkan::plan {

/// Walks a plan as a device runs it, byte by byte of its memory, and holds it to what every run relies on, by rules of
/// its own: a device that runs one dispatch after the other, as software devices do, gives right results of a plan
/// without a single barrier.
///
/// * A dispatch that reads or writes bytes which a dispatch since the last barrier wrote, or writes bytes which one
///   since then read, has a barrier before it.
/// * What is read of a slot, by a dispatch, by the host or in the next part, was uploaded or written, and all of it is
///   still there: no slot that shares bytes with it was written in between.
/// * A node writes its results alone. Where one lies in the slot of an operand, which it is written over in place, all
/// of
///   the operand was there, and no other node reads the operand behind it, nor does the host.
/// * A slot that a dispatch writes shares no bytes with another that it binds; nothing writes where resident slots lie;
///   every slot lies within its buffer, at a multiple of what the device asks for (minStorageBufferOffsetAlignment; a
///   driver that reads unaligned places all the same says nothing, see VUID-VkWriteDescriptorSet-descriptorType-00328),
///   and of 16 bytes, as shaders read words by fours.
///
/// Throws Error naming the dispatch, the node and the slot of the first breach.
void require_consistent(const Plan& plan, const ir::Graph& graph, const device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::plan
