#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/scan_states.hpp"

namespace plumb::gpu_vulkan::kernels::scans {

/// Dispatches a scan whose states decay by factors that are given, over chunks of its steps where rows are few.
void lower_decayed_scan(const ir::kernels::DecayedScan& scan, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::scans
