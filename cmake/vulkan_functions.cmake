# vulkan_functions(<target>): declares the functions of Vulkan that gpu_vulkan/runtime/driver/functions.txt lists as
# pointers in namespace plumb::gpu_vulkan, and defines them with a table by which the loader is asked for each.
function(vulkan_functions target)
  set(list "${PROJECT_SOURCE_DIR}/gpu_vulkan/runtime/driver/functions.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(STRINGS "${list}" names REGEX "^vk")
  set(declared "")
  set(defined "")
  set(entries "")
  foreach(name IN LISTS names)
    string(APPEND declared "extern PFN_${name} ${name};\n")
    string(APPEND defined "PFN_${name} ${name} = nullptr;\n")
    string(APPEND entries
      "      {\"${name}\", [](void* found) { ${name} = reinterpret_cast<PFN_${name}>(found); }},\n")
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/generated")
  file(CONFIGURE OUTPUT "${folder}/generated_vulkan_functions.hpp" @ONLY CONTENT
"// Generated from gpu_vulkan/runtime/driver/functions.txt. Do not edit.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#include <span>

namespace plumb::gpu_vulkan {

${declared}
namespace runtime::driver {

/// A function by its name, and what takes where it is.
struct LoadedFunction {
  const char* name;
  void (*set)(void* found);
};

std::span<const LoadedFunction> loaded_functions();

}  // namespace runtime::driver
}  // namespace plumb::gpu_vulkan
")
  set(source "${folder}/generated_vulkan_functions.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
"// Generated from gpu_vulkan/runtime/driver/functions.txt. Do not edit.
#include \"generated_vulkan_functions.hpp\"

namespace plumb::gpu_vulkan {

${defined}
namespace runtime::driver {

std::span<const LoadedFunction> loaded_functions() {
  static constexpr LoadedFunction all[] = {
${entries}  };
  return all;
}

}  // namespace runtime::driver
}  // namespace plumb::gpu_vulkan
")
  target_sources(${target} PRIVATE "${source}")
endfunction()
