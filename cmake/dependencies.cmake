# Every library that plumbline stands on; which folder may use which is checked by
# tests/house/layering.py. The installed package asks for the same (plumblineConfig.cmake.in).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)  # the program alone
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Protobuf REQUIRED)  # ONNX stands on it
find_package(ONNX REQUIRED)
# ONNX 1.17 has its library in a namespace, 1.12 had not. A name that is no target would become "-lonnx", without what
# its headers want defined and without libonnx_proto.
if(TARGET ONNX::onnx)
  set(PLUMB_ONNX ONNX::onnx)
else()
  set(PLUMB_ONNX onnx)
endif()
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
# FFTW transforms lines, where it is. It is under the GPL, and with it every program that it is linked into
# (docs/licences.md); without it transforms are by kernels of our own, which take longer.
find_path(PLUMB_FFTW_HEADER fftw3.h)
find_library(PLUMB_FFTW_SINGLE fftw3f)
find_library(PLUMB_FFTW_DOUBLE fftw3)
set(fftw_found ON)
if(NOT PLUMB_FFTW_HEADER OR NOT PLUMB_FFTW_SINGLE OR NOT PLUMB_FFTW_DOUBLE)
  set(fftw_found OFF)
endif()
option(PLUMB_FFTW "Transform lines with FFTW, which is under the GPL" ${fftw_found})
if(PLUMB_FFTW AND NOT fftw_found)
  message(FATAL_ERROR "PLUMB_FFTW is ON, but FFTW is not there in both f32 and f64: run scripts/setup.sh")
endif()
if(PLUMB_VULKAN)
  find_package(Vulkan REQUIRED)
endif()
find_package(CLI11 REQUIRED)
# glslang compiles kernels at run time, where it is there. It names these libraries without looking for them, and a name
# that is no target would become "-lSPIRV-Tools-opt" with nothing that it needs behind it.
set(glslang_FOUND OFF)
if(PLUMB_VULKAN)
  foreach(library SPIRV-Tools SPIRV-Tools-opt SPIRV-Tools-link)
    find_package(${library} CONFIG QUIET)
  endforeach()
  find_package(glslang CONFIG QUIET)
endif()
find_path(PLUMB_BOOST_MATH boost/math/distributions/students_t.hpp REQUIRED)  # headers alone
find_path(PLUMB_TOMLPLUSPLUS toml++/toml.h HINTS "${PLUMB_SDK}/include" REQUIRED)

# plumb_vulkan_headers(<target>): the loader is the system's, but its headers may be too
# old for the newest extensions; then those of the SDK come first.
function(plumb_vulkan_headers target)
  if(NOT PLUMB_VULKAN)
    return()
  endif()
  plumb_use_headers(${target} Vulkan::Headers)
  file(STRINGS "${Vulkan_INCLUDE_DIR}/vulkan/vulkan_core.h" release REGEX "^#define VK_HEADER_VERSION [0-9]+")
  file(STRINGS "${Vulkan_INCLUDE_DIR}/vulkan/vulkan_core.h" api REGEX "^#define VK_HEADER_VERSION_COMPLETE ")
  string(REGEX REPLACE ".*MAKE_API_VERSION\\([0-9]+, ([0-9]+), ([0-9]+),.*" "\\1.\\2" api "${api}")
  string(REGEX REPLACE ".* " "" release "${release}")
  if("${api}.${release}" VERSION_GREATER_EQUAL 1.3.275)
    return()
  endif()
  if(NOT EXISTS "${PLUMB_SDK}/include/vulkan/vulkan.h")
    message(FATAL_ERROR "Vulkan headers are ${api}.${release}, wanted 1.3.275: "
      "run scripts/setup.sh, which makes an SDK (PLUMB_SDK is '${PLUMB_SDK}')")
  endif()
  target_include_directories(${target} SYSTEM BEFORE PRIVATE "${PLUMB_SDK}/include")
endfunction()
