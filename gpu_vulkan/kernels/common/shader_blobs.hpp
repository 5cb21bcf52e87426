#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plumb::gpu_vulkan::kernels::common {

/// One SPIR-V module as the build made it from gpu_vulkan/ops/*.comp (cmake/shaders.cmake).
struct ShaderBlob {
  std::string_view name;  ///< "softmax.f32": the file's stem, and its variant if it has any
  std::span<const std::uint32_t> words;
};

/// A ShaderBlob as an assembler can write it (cmake/compile_shader.sh).
struct ShaderEntry {
  const char* name;
  const std::uint32_t *words, *end;
};

/// Every module, sorted by name. They live as long as the program.
std::span<const ShaderBlob> shader_blobs();

}  // namespace plumb::gpu_vulkan::kernels::common
