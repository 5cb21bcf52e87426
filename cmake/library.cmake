# plumb_library(<name> FOLDER <folder>... [EXCLUDE <regex>...] [EXPORT <set>])
#
# The static library plumb_<name> (plumbline::<name>) made of every .cpp below the folders:
# a new file needs no list edited. EXPORT names the file of the installed package that
# knows it, where that is not plumblineTargets, which every user of the package loads.
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
  add_library(plumbline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
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

# Links a library that consists of headers, for this build only: whoever uses the
# installed package needs no such headers.
function(plumb_use_headers target)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${library}>")
  endforeach()
endfunction()
