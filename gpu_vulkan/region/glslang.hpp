#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::gpu_vulkan::region {

/// A file of gpu_vulkan, as the build found it (cmake/shaders.cmake); it is called as shaders include it:
/// "gpu_vulkan/glsl/index.glsl".
struct GlslFile {
  std::string_view name, text;
};

/// Files that shaders include.
std::span<const GlslFile> glsl_files();

/// Shaders that the build compiled, for people.
std::span<const GlslFile> comp_files();

/// The library that compiles GLSL, and its version; "" where the build found none.
std::string glsl_compiler();

/// A compute shader for Vulkan 1.3. Throws Error with the compiler's messages, Unsupported without a compiler.
std::vector<std::uint32_t> compile_glsl(const std::string& source);

}  // namespace plumb::gpu_vulkan::region
