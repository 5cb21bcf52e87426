#pragma once

// Experiments on whoever is judged: those of `plumb probe`, and of --profile auto.

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/profile/probe/probe.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {

/// Probes a candidate that is not ours. Throws Unsupported, with its words, where it refuses all experiments.
profile::DeviceProfile probe_candidate(foreign::Candidate& candidate, ir::Executor& reference,
                                       profile::probe::ProbeOptions options);

/// Probes our CPU executor, which runs on so many threads.
profile::DeviceProfile probe_host(ref_cpu::CpuExecutor& cpu, int threads, profile::probe::ProbeOptions options);

/// Probes our device.
profile::DeviceProfile probe_device(gpu_vulkan::VulkanExecutor& device, ir::Executor& reference,
                                    const profile::probe::ProbeOptions& options);

/// Throws Error, which names the candidate as the user does, where it is one that computes no graphs: a dump, or one
/// function.
void require_probed(const std::string& spec);

}  // namespace plumb::parity::cli
