// Opens the Vulkan loader when the first instance is made.
#include <dlfcn.h>

#include <string>

#include "gpu_vulkan/runtime/driver/functions.hpp"
#include "ir/error.hpp"

namespace plumb::gpu_vulkan::runtime::driver {
namespace {

constexpr const char* file = "libvulkan.so.1";

/// The reason why there is no loader to call; "" where there is one.
std::string open() {
  void* const loader = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (loader == nullptr) return ir::cat(dlerror(), " (Debian and Ubuntu: libvulkan1)");
  for (const LoadedFunction& function : loaded_functions()) {
    void* const found = dlsym(loader, function.name);
    if (found == nullptr) return ir::cat(file, " has no ", function.name, ", so that it is older than Vulkan 1.3");
    function.set(found);
  }
  return "";
}

}  // namespace

void open_loader() {
  static const std::string problem = open();
  if (!problem.empty()) throw ir::Unsupported("no Vulkan loader: " + problem);
}

}  // namespace plumb::gpu_vulkan::runtime::driver
