#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::gpu_vulkan::runtime::driver {

/// A module without what it asks for in glsl/specials_kept.glsl, for devices that cannot be asked.
std::vector<std::uint32_t> without_specials_kept(std::span<const std::uint32_t> words);

}  // namespace plumb::gpu_vulkan::runtime::driver
