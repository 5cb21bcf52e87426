# discover_tests(<target> PREFIX <p> [FILTER <f>] [LAUNCHER <command>...] [ENVIRONMENT <name=value>...])
#
# Every suite of a GoogleTest program as one ctest test, a long one as several (long_tests.cmake), found when ctest
# starts; those of FILTER, which is written as --gtest_filter is.
# CMake's own gtest_discover_tests cannot register a program for two devices, that is,
# with and without a launcher, and starts a process, with a Vulkan device, for each test.
# A suite of which every test skips itself is "skipped" in ctest too.
function(discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "PREFIX;FILTER" "LAUNCHER;ENVIRONMENT")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${tests_PREFIX}${target}.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"set(program [==[$<TARGET_FILE:${target}>]==])
set(prefix [==[${tests_PREFIX}]==])
set(filter [==[${tests_FILTER}]==])
set(launcher [==[${tests_LAUNCHER}]==])
set(environment [==[${tests_ENVIRONMENT}]==])
set(is_sanitized [==[${PLUMB_SANITIZED}]==])
include([==[${PROJECT_SOURCE_DIR}/tests/discovered.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
