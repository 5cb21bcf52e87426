// Compiles generated kernels once: known in memory by source, and on disk by hashes of source, compiler and includes.
#include "gpu_vulkan/region/compile.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/region/glslang.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::gpu_vulkan::region {
namespace {

constexpr cache::CacheMagic magic = {'p', 'l', 'u', 'm', 'b', 's', 'p', '1'};

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  return ir::raw::hash_bytes(std::as_bytes(std::span(text)), seed);
}

/// Hashes everything but the source that decides what a source is compiled to.
std::uint64_t environment() {
  static const std::uint64_t hash = [] {
    std::uint64_t all = hash_of(glsl_compiler(), 0);
    for (const GlslFile& file : glsl_files()) all = hash_of(file.text, hash_of(file.name, all));
    return all;
  }();
  return hash;
}

/// The shader in a file; null when it is not there, damaged or of another format.
plan::ShaderWords loaded(const std::filesystem::path& path) {
  const auto data = cache::load_checked(path, magic);
  if (data.empty() || data.size() % 4 != 0) return nullptr;
  std::vector<std::uint32_t> words(data.size() / 4);
  std::memcpy(words.data(), data.data(), data.size());
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
}

/// Shaders of this process; a graph has few, and those of one are all alike.
struct KnownShaders {
  std::mutex lock;
  std::map<std::string, CompiledShader> by_source;
};

KnownShaders& known() {
  static KnownShaders shaders;
  return shaders;
}

}  // namespace

bool RegionCompiler::exists() { return !glsl_compiler().empty(); }

CompiledShader RegionCompiler::load_or_compile(const std::string& source) const {
  const std::uint64_t hash = hash_of(source, environment());
  CompiledShader made{ir::cat("region.", cache::digits_of(hash)), nullptr};
  auto path = cache::cache_folder(cache_folder_);
  if (!path.empty()) {
    // Another hash beside: one of 64 bits alone names a shader that somebody may have made to meet.
    path /= ir::cat(made.name, '-', cache::digits_of(hash_of(source, hash)), ".spv");
    made.words = loaded(path);
  }
  if (made.words == nullptr) {
    made.words = std::make_shared<const std::vector<std::uint32_t>>(compile_glsl(source));
    if (!path.empty()) cache::store_checked(path, magic, std::as_bytes(std::span(*made.words)));
  }
  return made;
}

CompiledShader RegionCompiler::compile(const std::string& source) const {
  auto& [lock, by_source] = known();
  const std::scoped_lock held(lock);
  auto found = by_source.find(source);
  if (found == by_source.end()) found = by_source.emplace(source, load_or_compile(source)).first;
  return found->second;
}

std::string RegionCompiler::source_of(const plan::ShaderWords& words) {
  auto& [lock, by_source] = known();
  const std::scoped_lock held(lock);
  const auto found = std::ranges::find(by_source, words, [](const auto& entry) { return entry.second.words; });
  return found == by_source.end() ? "" : found->first;
}

}  // namespace plumb::gpu_vulkan::region
