#include "parity/cli/inspect_fusions.hpp"

#include <fmt/format.h>

#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

gpu_vulkan::DeviceFacts device_or_usual() try {
  return gpu_vulkan::VulkanExecutor().facts();
} catch (const ir::Error&) {  // no driver, no device, or options that are for another one
  return gpu_vulkan::usual_device();
}

ir::Feeds params_of(const ir::GraphFile& file) {
  std::size_t bytes = 0;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) bytes += file.graph.type(v).bytes();
  return bytes <= most_bytes ? ir::materialise(file, 1) : ir::Feeds();
}

}  // namespace

void print_fusions(const ir::GraphFile& file) {
  const auto facts = device_or_usual();
  const auto fused = gpu_vulkan::fuse(file.graph, {file.graph.results()}, params_of(file), facts);
  const auto lines = gpu_vulkan::fusions(fused, file.graph);
  if (lines.empty()) return;
  fmt::print("\nfused on {}:\n", facts.name);
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

}  // namespace plumb::parity::cli
