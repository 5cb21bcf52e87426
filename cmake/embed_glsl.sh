#!/bin/sh
# usage: embed_glsl.sh OUTPUT.cpp FILE...: the files as C++, by the function that OUTPUT is called after, glsl_files or
# comp_files (gpu_vulkan/region/glslang.hpp).
set -eu
output=$1 function=$(basename "$1" .cpp)
shift
{
  echo "// Generated from files of gpu_vulkan. Do not edit."
  echo "#include \"gpu_vulkan/region/glslang.hpp\""
  echo "namespace plumb::gpu_vulkan::region {"
  echo "namespace {"
  echo "using namespace std::string_view_literals;  // their lengths are counted by no constant expression"
  echo "constexpr GlslFile files[] = {"
  for file in "$@"; do
    printf '{"%s", R"glsl(' "$file"
    cat "$file"
    echo ')glsl"sv},'
  done
  echo "};"
  echo "}  // namespace"
  echo "std::span<const GlslFile> $function() { return files; }"
  echo "}  // namespace plumb::gpu_vulkan::region"
} >"$output.new"
mv "$output.new" "$output"
