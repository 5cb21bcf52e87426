# plumb_library(<name> FOLDER <folder>... [EXCLUDE <regex>...] [EXPORT <set>])
#
# The static library plumb_<name> (plumbline::<name>) made of every .cpp below the folders:
# a new file needs no list edited. EXPORT names the file of the installed package that
# knows it, where that is not plumblineTargets, which every user of the package loads.
# Names are hidden: a shared library that holds this one shows nothing of it.
function(plumb_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "EXPORT" "FOLDER;EXCLUDE")
  list(TRANSFORM library_FOLDER REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  foreach(pattern IN LISTS library_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  set(target plumb_${name})
  if(NOT sources)
    set(sources "${PROJECT_BINARY_DIR}/generated/nothing_yet.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
  endif()
  add_library(${target} STATIC ${sources})
  unity_groups(${target})
  precompile_common_headers(${target})
  add_library(plumbline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/plumbline>"
    PRIVATE "${PROJECT_BINARY_DIR}/generated")
  set(export plumblineTargets)
  if(library_EXPORT)
    set(export "${library_EXPORT}")
  endif()
  install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

# unity_groups(<target>)
#
# Says which files of a target a unity build compiles together: those of a room, which is two folders below the root (or
# below tests/), and no more than about ten. Rooms of few files join. A room with more is cut by hashes of the files'
# names into 2, 4, 8, ... groups: a new file is compiled with others, and when there are too many they part, but no two
# files that were apart meet because a third was added. What compiles, with the names in its anonymous namespaces, goes
# on to compile.
function(unity_groups target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(groups "")
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${path}")
    string(REGEX MATCH "^(tests/)?[^/]+/([^/]+/)?" room "${path}")
    list(APPEND rooms "${room}")
    list(APPEND files_of_${room} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    list(LENGTH files_of_${room} count)
    set(group "${room}")
    if(count LESS 4)
      string(REGEX REPLACE "^((tests/)?[^/]+/).*" "\\1few/" group "${room}")
    endif()
    list(APPEND groups "${group}")
    list(APPEND files_in_${group} ${files_of_${room}})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    list(LENGTH files_in_${group} count)
    set(parts 1)
    while(count GREATER 10)
      math(EXPR count "${count} / 2")
      math(EXPR parts "${parts} * 2")
    endwhile()
    foreach(source IN LISTS files_in_${group})
      get_filename_component(name "${source}" NAME)
      string(MD5 hash "${name}")
      string(SUBSTRING "${hash}" 0 4 hash)
      math(EXPR part "0x${hash} & (${parts} - 1)")
      string(MAKE_C_IDENTIFIER "${group}${part}" id)
      set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${id}")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# precompile_common_headers(<target>)
#
# Nearly every file includes these headers, and reading them is a third of what compiling a file takes. Unity builds
# have them precompiled; in the others a file that forgets an include does not compile.
function(precompile_common_headers target)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <set>
      <span> <string> <variant> <vector> "${PROJECT_SOURCE_DIR}/ir/executor.hpp" "${PROJECT_SOURCE_DIR}/ir/graph.hpp"
      "${PROJECT_SOURCE_DIR}/ir/tensor.hpp")
  endif()
endfunction()

# Options of a target or, if there are any, of these of its sources, which are then compiled apart from the others.
function(add_options target option)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS "${option}")
  else()
    target_compile_options(${target} PRIVATE "${option}")
  endif()
endfunction()

# optimise_little(<target> [<source>...]): for code that reads, writes, chooses and counts, but has no loops over
# elements: g++ -O1 is as good there and takes three quarters of the time of -O2.
function(optimise_little target)
  add_options(${target} "$<$<CONFIG:Release,RelWithDebInfo>:-O1>" ${ARGN})
endfunction()

# sanitize_unoptimised(<target> [<source>...]): ASan and UBSan ask the same of code that is not optimised, and clang
# compiles it in half the time. It is for code without loops over elements; what fuzzers run a million times stays
# optimised.
function(sanitize_unoptimised target)
  if(PLUMB_SANITIZED AND NOT PLUMB_THREAD_SANITIZED AND NOT PLUMB_FUZZ)
    add_options(${target} "$<$<CONFIG:Debug>:-O0>" ${ARGN})
  endif()
endfunction()

# Links a library that consists of headers, for this build only: whoever uses the
# installed package needs no such headers.
function(plumb_use_headers target)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${library}>")
  endforeach()
endfunction()
