# Read by ctest when it starts, once for each program and device; see discover.cmake.
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

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/long_tests.txt" long_tests REGEX "^[^#]")

# A line "Suite." is a suite, perhaps with "  # TypeParam = ..." behind it; its tests are indented.
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listing}")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  if(NOT suite MATCHES "DISABLED_")
    add_test("${prefix}${suite}" ${launcher} "${program}" "--gtest_filter=${suite}.*${left_out}")
    set_tests_properties("${prefix}${suite}" PROPERTIES TIMEOUT "${timeout}" ENVIRONMENT "${environment}"
      SKIP_RETURN_CODE 77)
    foreach(line IN LISTS long_tests)
      string(REPLACE " " ";" long "${line}")
      list(POP_FRONT long name seconds)
      if(name STREQUAL "${prefix}${suite}")
        set_tests_properties("${name}" PROPERTIES COST "${seconds}")
      endif()
    endforeach()
  endif()
endforeach()
