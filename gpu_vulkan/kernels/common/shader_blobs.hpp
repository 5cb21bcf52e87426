#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpu_vulkan/plan/schedule.hpp"

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

/// The module of a shader: its own words, or those of this name. Throws Error where there are none such. They live as
/// long as the shader and the program.
std::span<const std::uint32_t> words_of(const plan::Shader& shader);

}  // namespace plumb::gpu_vulkan::kernels::common
