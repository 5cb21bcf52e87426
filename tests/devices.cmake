# PLUMB_TEST_DEVICES: the Vulkan devices that tests run on, and for each one
#   <device>_PREFIX       of ctest's names
#   <device>_LAUNCHER     what runs a program on it
#   <device>_ENVIRONMENT  for the program
#   <device>_QUICK        the same, with a driver that does not optimise what it compiles
# Both are Mesa's CPU driver, lavapipe: the distribution's, and the SDK's, which has cooperative matrices. Without the
# SDK there is one; with neither, such tests skip. The first one runs everything. The others run what differs there:
# docs/build_time.md lists it, and why.
set(PLUMB_TEST_DEVICES system)
set(system_PREFIX "")
set(system_LAUNCHER "")

# What drivers compiled, for tests of all builds: kernels are the same whatever compiler made the rest, so that a build
# with sanitizers waits for none that a release has run before it.
set(driver_cache "${PROJECT_BINARY_DIR}/driver_cache")
if(PLUMB_CACHE)
  set(driver_cache "${PLUMB_CACHE}/driver")
endif()

# A release's tests run under the validation layers. What sanitizers ask is another question, about the same runs, and
# layers would take a third of their time; suites about the layers turn them on themselves.
set(validation 1)
if(PLUMB_SANITIZED)
  set(validation 0)
endif()

# No test may leave a trace in the home of whoever runs it. Five frames of an allocation's stack say who leaked it.
set(PLUMB_TEST_ENVIRONMENT "PLUMB_VALIDATION=${validation}" "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache"
  "ASAN_OPTIONS=malloc_context_size=5"
  "MESA_SHADER_CACHE_DIR=${driver_cache}"
  "LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/leaks_of_others.txt"
  "TSAN_OPTIONS=print_suppressions=0:history_size=7:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/races_of_others.txt")

# Compiling kernels is nine tenths of what tests on lavapipe take. Tests that compile many small kernels, each for a few
# numbers, let it leave out LLVM's optimisations: those are the driver's, and graphs and ONNX's suite run with them.
set(quick "GALLIVM_PERF=nopt")

set(system_ENVIRONMENT ${PLUMB_TEST_ENVIRONMENT})
file(GLOB lavapipe /usr/share/vulkan/icd.d/lvp_icd*.json)
if(lavapipe)
  list(GET lavapipe 0 lavapipe)
  list(APPEND system_ENVIRONMENT "VK_DRIVER_FILES=${lavapipe}" "VK_ICD_FILENAMES=${lavapipe}"
    "VK_LOADER_LAYERS_DISABLE=~implicit~" "LP_NATIVE_VECTOR_WIDTH=128")
endif()

# A sanitizer's run-time library and the SDK's loader do not go together.
if(EXISTS "${PLUMB_SDK}/bin/with-mesa" AND NOT PLUMB_SANITIZED)
  list(APPEND PLUMB_TEST_DEVICES mesa26)
  set(mesa26_PREFIX "mesa26.")
  set(mesa26_LAUNCHER "${PLUMB_SDK}/bin/with-mesa")
  set(mesa26_ENVIRONMENT ${PLUMB_TEST_ENVIRONMENT} "PLUMB_FLUSHES=1")  # subnormals, which tests/verdict.sh asks for
  # Its compiler allocates so much that a faster allocator saves a quarter of what unit tests of ops take.
  find_library(PLUMB_TCMALLOC NAMES tcmalloc_minimal libtcmalloc_minimal.so.4)
  if(PLUMB_TCMALLOC)
    list(APPEND mesa26_ENVIRONMENT "LD_PRELOAD=${PLUMB_TCMALLOC}")
  endif()
endif()

foreach(device IN LISTS PLUMB_TEST_DEVICES)
  set(${device}_QUICK ${${device}_ENVIRONMENT} "${quick}")
endforeach()
list(GET PLUMB_TEST_DEVICES 0 PLUMB_FIRST_DEVICE)
list(GET PLUMB_TEST_DEVICES -1 PLUMB_LAST_DEVICE)
