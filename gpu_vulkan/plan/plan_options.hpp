#pragma once

#include "gpu_vulkan/device/calibration.hpp"
#include "gpu_vulkan/device/kernel_family.hpp"
#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::plan {

/// The settings of a plan, in addition to the graph and the device.
struct PlanOptions {
  const ir::Executor* host = nullptr;    ///< runs what the device cannot; null: then nothing may fall back
  bool redzone = false;                  ///< leave zones around every slot, and share no memory
  bool no_reuse = false;                 ///< share no memory
  bool full_barriers = false;            ///< a barrier before every dispatch
  bool in_place = true;                  ///< results may be written over operands that nobody else reads
  std::string tile = {};                 ///< to take wherever a kernel has one of this name: VulkanOptions::tile
  device::Calibration calibration = {};  ///< measurements of the device
  bool cooperative = true;               ///< kernels by cooperative matrices may be used
  std::string cooperative_doubt = {};    ///< the fault that their self-test found; empty while none is known
  device::KernelFamilies without = {};   ///< families of kernels that are not used
  std::size_t alternative = 0;           ///< which of its kernels and tiles a node gets: VulkanOptions::alternative
};

}  // namespace plumb::gpu_vulkan::plan
