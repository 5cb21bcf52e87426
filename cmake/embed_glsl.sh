#!/bin/sh
# usage: embed_glsl.sh OUTPUT.cpp FILE.glsl...: the files as C++ (gpu_vulkan/region/glslang.hpp).
set -eu
output=$1
shift
{
  echo "// Generated from the .glsl files of gpu_vulkan. Do not edit."
  echo "#include \"gpu_vulkan/region/glslang.hpp\""
  echo "namespace plumb::gpu_vulkan::region {"
  echo "namespace {"
  echo "constexpr GlslFile files[] = {"
  for file in "$@"; do
    printf '{"%s", R"glsl(' "$file"
    cat "$file"
    echo ')glsl"},'
  done
  echo "};"
  echo "}  // namespace"
  echo "std::span<const GlslFile> glsl_files() { return files; }"
  echo "}  // namespace plumb::gpu_vulkan::region"
} >"$output.new"
mv "$output.new" "$output"
