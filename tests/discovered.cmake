# Read by ctest when it starts, once for each program and device; see discover.cmake.
include("${CMAKE_CURRENT_LIST_DIR}/long_tests.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/turns.cmake")
if(NOT EXISTS "${program}")
  add_test("${prefix}NOT_BUILT" "${program}")
  return()
endif()

execute_process(COMMAND "${program}" --gtest_list_tests "--gtest_filter=${filter}"
  OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  add_test("${prefix}CANNOT_LIST_ITS_TESTS" "${program}" --gtest_list_tests)
  return()
endif()

# What a filter leaves out is behind its minus.
string(REGEX MATCH "-.*" left_out "${filter}")

# add_suite(<name> <suite> [<shard> <shards>]): one entry, of a whole suite or of every so many-th of its tests.
function(add_suite name suite)
  add_test("${name}" ${launcher} "${program}" "--gtest_filter=${suite}.*${left_out}")
  set(variables ${environment})
  if(ARGC GREATER 2)
    list(APPEND variables "GTEST_SHARD_INDEX=${ARGV2}" "GTEST_TOTAL_SHARDS=${ARGV3}")
  endif()
  seconds_of(seconds "${prefix}${suite}")
  turns_of(labels "${name}" "${is_sanitized}")
  set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${variables}" SKIP_RETURN_CODE 77 COST "${seconds}"
    LABELS "${labels}")
endfunction()

# A line "Suite." is a suite, perhaps with "  # TypeParam = ..." behind it; its tests are indented.
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listing}")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  if(suite MATCHES "DISABLED_")
    continue()
  endif()
  string(REGEX MATCH "(^|\n)${suite}\\.[^\n]*(\n  [^\n]*)*" tests "${listing}")
  string(REGEX MATCHALL "\n  [^ \n]" tests "${tests}")
  list(LENGTH tests count)
  shards_of(shards "${prefix}${suite}" ${count})
  if(shards EQUAL 1)
    add_suite("${prefix}${suite}" "${suite}")
    continue()
  endif()
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    math(EXPR number "${shard} + 1")
    add_suite("${prefix}${suite}.${number}_of_${shards}" "${suite}" ${shard} ${shards})
  endforeach()
endforeach()
