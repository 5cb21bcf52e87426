# The files of an ops/ folder are its op table. An op's file name is its name
# everywhere: ir/ops/layer_norm.hpp defines plumb::ir::ops::LayerNorm, which graph
# files write "layer_norm" and each executor implements in its own ops/layer_norm.cpp.
# gpu_vulkan/fused_ops is such a folder, too, with header and implementation side by side.

# layer_norm -> LayerNorm
function(op_type_name stem out)
  set(name "")
  string(REPLACE "_" ";" words "${stem}")
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 head)
    string(SUBSTRING "${word}" 1 -1 tail)
    string(TOUPPER "${head}" head)
    string(APPEND name "${head}${tail}")
  endforeach()
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

# op_table(<layer> <folder> <extension> [TYPES <folder>] [INTERFACE <header>] [DECLARATION <text>])
#
# Writes <build>/generated/<layer>/op_table.hpp: `Ops`, the list of op types that have
# a file <layer>/<folder>/*.<extension>, and before it, for each one, DECLARATION with
# TYPE filled in; INTERFACE is the header that declares what DECLARATION mentions.
# The types' headers are in TYPES, whose path is their namespace: ir/ops unless given.
function(op_table layer folder extension)
  cmake_parse_arguments(PARSE_ARGV 3 table "" "TYPES;INTERFACE;DECLARATION" "")
  if(NOT table_TYPES)
    set(table_TYPES ir/ops)
  endif()
  string(REPLACE "/" "::" types_namespace "${table_TYPES}")
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${layer}/${folder}/*.${extension}")
  set(includes "")
  set(declarations "")
  set(types "")
  if(table_INTERFACE)
    string(APPEND includes "#include \"${table_INTERFACE}\"\n")
  endif()
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    op_type_name("${stem}" type)
    string(APPEND includes "#include \"${table_TYPES}/${stem}.hpp\"\n")
    set(type "plumb::${types_namespace}::${type}")
    string(REPLACE "TYPE" "${type}" line "${table_DECLARATION}")
    string(APPEND declarations "${line}\nstatic_assert(std::string_view(${type}::name) == \"${stem}\");\n")
    list(APPEND types "${type}")
  endforeach()
  string(REPLACE "/" "::" namespace "${layer}")
  list(JOIN types ",\n    " types)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${layer}/op_table.hpp" @ONLY CONTENT
"// Generated from ${layer}/${folder}. Do not edit.
#pragma once

#include <string_view>

#include \"ir/op_list.hpp\"
${includes}
namespace plumb::${namespace} {
${declarations}
using Ops = plumb::ir::OpList<
    ${types}>;
}  // namespace plumb::${namespace}
")
endfunction()
