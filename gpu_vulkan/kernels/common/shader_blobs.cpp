// Finds modules by name.
#include "gpu_vulkan/kernels/common/shader_blobs.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::kernels::common {

std::span<const std::uint32_t> words_of(const plan::Shader& shader) {
  if (shader.words != nullptr) return *shader.words;
  const auto blobs = shader_blobs();
  const auto blob = std::ranges::lower_bound(blobs, std::string_view(shader.name), {}, &ShaderBlob::name);
  ir::require(blob != blobs.end() && blob->name == shader.name, "there is no shader '", shader.name, "'");
  return blob->words;
}

}  // namespace plumb::gpu_vulkan::kernels::common
