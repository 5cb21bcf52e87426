#!/bin/sh
# usage: compile_shader.sh SOURCE.comp INCLUDE_FOLDER OUTPUT.cpp
# with GLSLANG, SPIRV_OPT and SPIRV_VAL naming the tools; see shaders.cmake.
set -eu
source=$1 include=$2 output=$3
file=${source##*/}
stem=${file%.comp}
work=$output.work

said() { sed -n "s|^// $1:[[:space:]]*||p" "$source" | head -n 1; }
variants=$(said variants)
target=$(said target)
checks=$(said spirv-val)
target=${target:-vulkan1.3}

rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

# compile NAME DEFINES...: SPIR-V of one module, optimised and validated, as $work/NAME.spv.
compile() {
  name=$1
  shift
  "$GLSLANG" -V --quiet --target-env "$target" -S comp "-I$include" "$@" --depfile "$work/$name.d" \
    -o "$work/$name.raw" "$source" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  # A warning is an error here, as it is in C++.
  if grep -q WARNING "$work/log"; then cat "$work/log" >&2; exit 1; fi
  "$SPIRV_OPT" -O "--target-env=$target" "$work/$name.raw" -o "$work/$name.spv"
  # shellcheck disable=SC2086  # $checks holds several arguments
  "$SPIRV_VAL" --target-env "$target" $checks "$work/$name.spv" ||
    { echo "$file: module $name is not valid" >&2; exit 1; }
}

# The words of a module as a C++ array, and its line in the table.
write_module() {
  echo "constexpr std::uint32_t $2[] = {"
  od -An -v -tx4 -w48 "$work/$1.spv" | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'
  echo "};"
  echo "    {\"$1\", $2}," >>"$work/table"
}

{
  echo "// Generated from gpu_vulkan/ops/$file. Do not edit."
  echo "#include \"gpu_vulkan/shader_blobs.hpp\""
  echo "namespace plumb::gpu_vulkan::shaders {"
  echo "std::span<const ShaderBlob> ${stem}_modules();"
  echo "namespace {"
} >"$work/cpp"
if [ -z "$variants" ]; then
  compile "$stem"
  write_module "$stem" words >>"$work/cpp"
fi
for variant in $variants; do
  compile "$stem.$variant" "-DVARIANT_$variant=1"
  write_module "$stem.$variant" "words_$variant" >>"$work/cpp"
done
{
  echo "constexpr ShaderBlob blobs[] = {"
  cat "$work/table"
  echo "};"
  echo "}  // namespace"
  echo "std::span<const ShaderBlob> ${stem}_modules() { return blobs; }"
  echo "}  // namespace plumb::gpu_vulkan::shaders"
} >>"$work/cpp"

# One dependency line for all variants.
{
  printf '%s:' "$output"
  cat "$work"/*.d | sed 's/^[^:]*://; s/\\$//' | tr -s ' ' '\n' | sort -u | tr '\n' ' '
  echo
} >"$output.d"
mv "$work/cpp" "$output"
