#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace plumb::gpu_vulkan::testing {

/// What a compute shader's module says of its outside, read from its SPIR-V.
struct SpirvInterface {
  struct Binding {
    bool readonly = false, writeonly = false;
  };

  std::map<std::uint32_t, Binding> bindings;  ///< of set 0, by number; views of one binding are one
  std::vector<std::uint32_t> other_sets;      ///< descriptor sets in use that are not 0
  std::vector<std::uint32_t> constant_ids;    ///< in order
  std::uint32_t push_bytes = 0;
};

SpirvInterface read_interface(std::span<const std::uint32_t> words);

}  // namespace plumb::gpu_vulkan::testing
