#pragma once

#include <cstdint>
#include <vector>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {

/// How a workgroup of fourier_lines.comp is made up, whatever the number of lines: few pipelines serve many shapes.
struct Layout {
  std::uint32_t threads;      ///< that share a line
  std::uint32_t lines;        ///< that a workgroup has
  std::uint32_t points;       ///< that a thread holds at most
  std::uint32_t line_stride;  ///< places of a line in shared memory
  std::uint32_t slices;       ///< in which points change places between two passes (passes.glsl)
  bool across_in, across_out, at_once;
};

/// The properties of a step that its layout depends on; across_in and across_out may be refused.
struct Wishes {
  bool across_in = false, across_out = false;  ///< neighbouring lines are read, or written, together, not those of one
  bool splits = false;                         ///< makes half a spectrum of pairs, for which no slices are made
  bool convolves = false;                      ///< transforms twice: shared memory is not its limit
};

/// A workgroup has as many lines as give it some 128 invocations, or neighbours enough. Both parts of numbers change
/// places at once where shared memory holds them, else one after the other, then half of it; then there are fewer
/// lines.
Layout layout_of(std::int64_t size, const std::vector<std::uint32_t>& radices, Wishes wishes, ir::DType part,
                 const device::DeviceFacts& facts);

/// The most points of lines that a workgroup holds, whatever their length is made of, and of lines of which it has
/// enough that neighbours are read together.
struct Capacity {
  std::int64_t alone, together;
};

Capacity capacity_of(ir::DType part, const device::DeviceFacts& facts);

/// Whether a workgroup holds a line of so many points. Some fit that are longer than others, if what changes places
/// may be sliced.
bool fits_workgroup(std::int64_t size, ir::DType part, bool may_slice, const device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::kernels::fourier
