#pragma once

#include "gpu_vulkan/fused_ops/region.hpp"

namespace plumb::gpu_vulkan::region {

/// Whether regions are made, and where their shaders are cached.
struct RegionSetting {
  bool on = false;
  std::string cache_folder = "off";  ///< as in VulkanOptions::pipeline_cache
};

struct CompiledShader {
  std::string name;  ///< "region.0123456789abcdef"
  plan::ShaderWords words;
};

/// Compiles GLSL that includes files of gpu_vulkan/glsl. A process compiles a text once, and so do all that share
/// a cache folder, as long as compiler and included files are the same.
class RegionCompiler {
 public:
  explicit RegionCompiler(std::string cache_folder) : cache_folder_(std::move(cache_folder)) {}

  /// Whether this build has a compiler.
  static bool exists();

  /// Throws Error with the compiler's messages.
  CompiledShader compile(const std::string& source) const;

  /// The source that this process compiled to these words; "" where it did not.
  static std::string source_of(const plan::ShaderWords& words);

  /// Compiles without what this process remembers: loads from the folder, or else compiles and stores there.
  CompiledShader load_or_compile(const std::string& source) const;

 private:
  std::string cache_folder_;
};

}  // namespace plumb::gpu_vulkan::region
