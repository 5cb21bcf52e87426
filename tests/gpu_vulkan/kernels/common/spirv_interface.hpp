#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace plumb::gpu_vulkan::testing {

/// The interface of a compute shader's module, read from its SPIR-V.
struct SpirvInterface {
  struct Binding {
    bool readonly = false, writeonly = false;
  };

  std::map<std::uint32_t, Binding> bindings;  ///< set 0's, by number; views of one binding are one
  std::vector<std::uint32_t> other_sets;      ///< descriptor sets in use that are not 0
  /// Specialization constants that the module uses: their names by constant_id, empty where a number has no name but
  /// is the size of the workgroup alone.
  std::map<std::uint32_t, std::string> constants;
  std::uint32_t push_bytes = 0;
};

SpirvInterface read_interface(std::span<const std::uint32_t> words);

}  // namespace plumb::gpu_vulkan::testing
