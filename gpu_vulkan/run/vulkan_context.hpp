#pragma once

#include "gpu_vulkan/run/program.hpp"

namespace plumb::gpu_vulkan::run {

/// Memory for runs of a program whose tensors stay on its device. Programs that run nodes on the host, or by debug
/// modes that change the memory of a plan or watch it, run as `run` does, between copies by the host.
std::unique_ptr<ir::Context> make_context(std::shared_ptr<const Program> program);

}  // namespace plumb::gpu_vulkan::run
