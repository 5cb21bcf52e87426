# `cmake --install`: the program, the libraries with their headers, a CMake package
# (find_package(plumbline), targets plumbline::ir and so on) and a pkg-config file.
# tests/install builds a program against the result.
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/plumbline")

set(exports plumblineTargets plumblineOnnxTargets plumblineAllTargets)
if(TARGET plumb_c)
  list(APPEND exports plumblineCTargets)
endif()
foreach(targets IN LISTS exports)
  install(EXPORT ${targets} NAMESPACE plumbline:: DESTINATION "${package_folder}")
endforeach()
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/public_headers.txt" public_headers REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/public_headers.txt")
foreach(pattern IN LISTS public_headers)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
  if(NOT headers)
    message(FATAL_ERROR "cmake/public_headers.txt: there is no ${pattern}")
  endif()
  get_filename_component(folder "${pattern}" DIRECTORY)
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/plumbline/${folder}")
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/plumblineConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/plumblineConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/plumblineConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/plumblineConfig.cmake" "${PROJECT_BINARY_DIR}/plumblineConfigVersion.cmake"
  DESTINATION "${package_folder}")

# The libraries are static, so that whoever links them needs all of these.
set(requires_glslang "")
if(TARGET glslang::SPIRV)
  # Where spirv.pc brings no library of its own, its optimizer has to be named behind glslang, which calls it.
  set(requires_glslang " spirv glslang SPIRV-Tools")
endif()
set(requires_fftw "")
if(PLUMB_FFTW)
  set(requires_fftw " fftw3f fftw3")
endif()
file(RELATIVE_PATH prefix_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name plumbline plumbline-onnx plumbline-c)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
