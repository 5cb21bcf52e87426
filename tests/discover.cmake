# discover_tests(<target> TIMEOUT <s> PREFIX <p> [LAUNCHER <command>...] [ENVIRONMENT <name=value>...])
#
# GoogleTest's tests as ctest tests, found when ctest starts. CMake's own
# gtest_discover_tests cannot register one program for two devices, that is, with and
# without a launcher. A test that skips itself is "skipped" in ctest too.
function(discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "TIMEOUT;PREFIX" "LAUNCHER;ENVIRONMENT")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${tests_PREFIX}${target}.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"set(program [==[$<TARGET_FILE:${target}>]==])
set(prefix [==[${tests_PREFIX}]==])
set(launcher [==[${tests_LAUNCHER}]==])
set(environment [==[${tests_ENVIRONMENT}]==])
set(timeout [==[${tests_TIMEOUT}]==])
include([==[${PROJECT_SOURCE_DIR}/tests/discovered.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
