# PLUMB_TEST_DEVICES: the Vulkan devices that tests run on, and for each one
#   <device>_PREFIX       of ctest's names
#   <device>_LAUNCHER     what runs a program on it
#   <device>_ENVIRONMENT  for the program
# Both are Mesa's CPU driver, lavapipe: the distribution's, and the SDK's, which has
# cooperative matrices. Without the SDK there is one; with neither, such tests skip.
set(PLUMB_TEST_DEVICES system)
set(system_PREFIX "")
set(system_LAUNCHER "")

# No test may leave a trace in the home of whoever runs it.
set(PLUMB_TEST_ENVIRONMENT "PLUMB_VALIDATION=1" "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache"
  "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/leaks_of_others.txt")

# What the driver's compiler makes of a kernel is not what sanitizers look at: it may be quick about it.
if(PLUMB_SANITIZED)
  list(APPEND PLUMB_TEST_ENVIRONMENT "GALLIVM_PERF=nopt")
endif()

set(system_ENVIRONMENT ${PLUMB_TEST_ENVIRONMENT})
file(GLOB lavapipe /usr/share/vulkan/icd.d/lvp_icd*.json)
if(lavapipe)
  list(GET lavapipe 0 lavapipe)
  list(APPEND system_ENVIRONMENT "VK_DRIVER_FILES=${lavapipe}" "VK_ICD_FILENAMES=${lavapipe}"
    "VK_LOADER_LAYERS_DISABLE=~implicit~")
endif()

# A sanitizer's run-time library and the SDK's loader do not go together.
if(EXISTS "${PLUMB_SDK}/bin/with-mesa" AND NOT PLUMB_SANITIZED)
  list(APPEND PLUMB_TEST_DEVICES mesa26)
  set(mesa26_PREFIX "mesa26.")
  set(mesa26_LAUNCHER "${PLUMB_SDK}/bin/with-mesa")
  set(mesa26_ENVIRONMENT ${PLUMB_TEST_ENVIRONMENT})
endif()
