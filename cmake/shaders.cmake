# Every .comp of gpu_vulkan/ops and gpu_vulkan/kernels becomes SPIR-V in the library: compiled, optimised,
# validated and written for the assembler by cmake/compile_shader.sh, one build step a file.
# A file that says so in comments is compiled several times, or for another target:
#
#   // variants: f32 f16      modules "softmax.f32" (VARIANT_f32 is defined as 1), ...;
#                             there may be several such lines; without any there is one module, "softmax"
#   // target: vulkan1.3      the default
#   // spirv-val: --flag      more arguments for the validator
#   // bfloat16: bf16         variants whose 16-bit floats are to be bfloat16, which glslang 15 does not know: they are
#                             compiled and validated with f16, of which their modules get the encoding replaced
#
# gpu_vulkan/kernels/common/shader_blobs.hpp says how C++ sees them.

# The pinned SDK comes first; a distribution will do when its glslang is 15 or later.
find_program(PLUMB_GLSLANG glslangValidator HINTS "${PLUMB_SDK}/bin" NO_CMAKE_FIND_ROOT_PATH)
find_program(PLUMB_SPIRV_OPT spirv-opt HINTS "${PLUMB_SDK}/bin")
find_program(PLUMB_SPIRV_VAL spirv-val HINTS "${PLUMB_SDK}/bin")
find_program(PLUMB_SPIRV_DIS spirv-dis HINTS "${PLUMB_SDK}/bin")
find_program(PLUMB_SPIRV_AS spirv-as HINTS "${PLUMB_SDK}/bin")


function(require_shader_tools)
  foreach(tool IN ITEMS GLSLANG SPIRV_OPT SPIRV_VAL SPIRV_DIS SPIRV_AS)
    if(NOT PLUMB_${tool})
      message(FATAL_ERROR "glslangValidator or a tool of SPIRV-Tools is missing (PLUMB_${tool}): run scripts/setup.sh")
    endif()
  endforeach()
  execute_process(COMMAND "${PLUMB_GLSLANG}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCH "Glslang Version: [0-9]+:([0-9]+)" unused "${text}")
  if(CMAKE_MATCH_1 LESS 15)
    message(FATAL_ERROR "${PLUMB_GLSLANG} is version ${CMAKE_MATCH_1}, the shaders want 15: "
      "run scripts/setup.sh, which makes an SDK (PLUMB_SDK is ${PLUMB_SDK})")
  endif()
endfunction()

function(add_shaders target)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/ops/*.comp"
    "${CMAKE_CURRENT_SOURCE_DIR}/kernels/*/*.comp")
  if(sources)
    require_shader_tools()
  endif()
  set(folder "${PROJECT_BINARY_DIR}/generated/gpu_vulkan/shaders")
  set(compile "${PROJECT_SOURCE_DIR}/cmake/compile_shader.sh")
  set(shader_cache "")
  if(PLUMB_CACHE)
    set(shader_cache "${PLUMB_CACHE}/shaders")
  endif()
  set(outputs "")
  set(declarations "")
  set(stems "")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    add_custom_command(
      OUTPUT "${folder}/${stem}.s"
      COMMAND "${CMAKE_COMMAND}" -E env "GLSLANG=${PLUMB_GLSLANG}" "SPIRV_OPT=${PLUMB_SPIRV_OPT}"
        "SPIRV_VAL=${PLUMB_SPIRV_VAL}" "SPIRV_DIS=${PLUMB_SPIRV_DIS}" "SPIRV_AS=${PLUMB_SPIRV_AS}"
        "WERROR=$<BOOL:${PLUMB_WERROR}>" "CACHE=${shader_cache}"
        sh "${compile}" "${source}" "${PROJECT_SOURCE_DIR}" "${folder}/${stem}.s"
      DEPENDS "${source}" "${compile}" "${PLUMB_GLSLANG}"
      DEPFILE "${folder}/${stem}.s.d"
      COMMENT "Compiling shader ${stem}"
      VERBATIM)
    list(APPEND outputs "${folder}/${stem}.s")
    string(APPEND declarations "extern const ShaderEntry plumb_shaders_${stem}[], plumb_shaders_${stem}_end[];\n")
    list(APPEND stems "{plumb_shaders_${stem}, plumb_shaders_${stem}_end}")
  endforeach()
  list(JOIN stems ",\n             " stems)
  file(CONFIGURE OUTPUT "${folder}.cpp" @ONLY CONTENT
"// Generated from the .comp files of gpu_vulkan. Do not edit.
#include \"gpu_vulkan/kernels/common/shader_blobs.hpp\"

#include <algorithm>
#include <vector>

extern \"C\" {
using plumb::gpu_vulkan::kernels::common::ShaderEntry;
${declarations}}

namespace plumb::gpu_vulkan::kernels::common {

std::span<const ShaderBlob> shader_blobs() {
  static const auto sorted = [] {
    std::vector<ShaderBlob> all;
    for (const std::span<const ShaderEntry> file : std::initializer_list<std::span<const ShaderEntry>>{
             ${stems}})
      for (const ShaderEntry& entry : file) all.push_back({entry.name, {entry.words, entry.end}});
    std::ranges::sort(all, {}, &ShaderBlob::name);
    return all;
  }();
  return sorted;
}

}  // namespace plumb::gpu_vulkan::kernels::common
")
  # Preprocessed, since else clang calls the target's definitions unused, and no compiler writes what ninja asks for.
  set_source_files_properties(${outputs} PROPERTIES LANGUAGE ASM COMPILE_OPTIONS -xassembler-with-cpp)
  target_sources(${target} PRIVATE ${outputs} "${folder}.cpp")
endfunction()

# add_region_compiler(<target>): what compiles kernels that are generated when a graph is compiled: all
# .glsl files as strings, and glslang as a library, which need not be as recent as the tool above. Without it such
# kernels are left out, and nodes have kernels of their own.
function(add_region_compiler target)
  set(embed "${PROJECT_SOURCE_DIR}/cmake/embed_glsl.sh")
  foreach(kind IN ITEMS glsl comp)
    file(GLOB sources RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
      "${CMAKE_CURRENT_SOURCE_DIR}/glsl/*.${kind}" "${CMAKE_CURRENT_SOURCE_DIR}/glsl/packed/*.${kind}"
      "${CMAKE_CURRENT_SOURCE_DIR}/ops/*.${kind}" "${CMAKE_CURRENT_SOURCE_DIR}/kernels/*/*.${kind}")
    set(output "${PROJECT_BINARY_DIR}/generated/gpu_vulkan/${kind}_files.cpp")
    list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE depends)
    add_custom_command(OUTPUT "${output}" COMMAND sh "${embed}" "${output}" ${sources}
      DEPENDS ${depends} "${embed}" COMMENT "Embedding GLSL" VERBATIM
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    target_sources(${target} PRIVATE "${output}")
  endforeach()
  if(TARGET glslang::SPIRV)
    target_compile_definitions(${target} PRIVATE PLUMB_HAS_GLSLANG)
    target_link_libraries(${target} PRIVATE glslang::SPIRV glslang::glslang)
    # Debian builds glslang without type information, which that check of UBSan asks its classes for.
    set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/region/glslang.cpp"
      PROPERTIES COMPILE_OPTIONS -fno-sanitize=vptr)
  endif()
endfunction()
