# What long_tests.txt says: seconds of a quiet processor that a test takes where nothing is cached. What takes long is
# started first: what is started last keeps one processor waiting for the other. A suite of a GoogleTest program that
# takes more than 60 s is several entries, none of which takes more than 40 s on average.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/long_tests.txt" long_tests REGEX "^[^#]")

# seconds_of(<out> <test>): 0 of a test that is not listed.
function(seconds_of out test)
  set(${out} 0 PARENT_SCOPE)
  foreach(line IN LISTS long_tests)
    if(line MATCHES "^([^ ]+) ([0-9]+)$" AND CMAKE_MATCH_1 STREQUAL "${test}")
      set(${out} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# shards_of(<out> <suite> <tests>): the number of entries that a suite is cut into, each of which has a test.
function(shards_of out suite tests)
  seconds_of(seconds "${suite}")
  set(shards 1)
  if(seconds GREATER 60)
    math(EXPR shards "(${seconds} + 39) / 40")
  endif()
  if(shards GREATER tests)
    set(shards ${tests})
  endif()
  set(${out} ${shards} PARENT_SCOPE)
endfunction()
