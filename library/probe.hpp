#pragma once

// Experiments on executors: what `plumb probe` and --profile auto do, as functions.

#include "parity/foreign/candidate.hpp"
#include "parity/profile/probe/probe.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::gpu_vulkan {
class VulkanExecutor;
}

namespace plumb::library {

/// Probes a candidate that is not ours. Throws Unsupported, with its words, where it refuses all experiments.
parity::profile::DeviceProfile probe_candidate(parity::foreign::Candidate& candidate, ir::Executor& reference,
                                               parity::profile::probe::ProbeOptions options);

/// Probes our CPU executor.
parity::profile::DeviceProfile probe_host(ref_cpu::CpuExecutor& cpu, parity::profile::probe::ProbeOptions options);

/// Probes our device.
parity::profile::DeviceProfile probe_device(gpu_vulkan::VulkanExecutor& device, ir::Executor& reference,
                                            const parity::profile::probe::ProbeOptions& options);

/// Probes whichever of these it is. Throws Error where it computes no graphs, or one alone.
parity::profile::DeviceProfile probe(ir::Executor& executor, const parity::profile::probe::ProbeOptions& options);

/// Throws Error, which names the candidate as the user does, where it is one that computes no graphs: a dump, or one
/// function.
void require_probed(const std::string& spec);

}  // namespace plumb::library
