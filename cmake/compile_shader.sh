#!/bin/sh
# usage: compile_shader.sh SOURCE.comp INCLUDE_FOLDER OUTPUT.cpp
# with GLSLANG, SPIRV_OPT, SPIRV_VAL, SPIRV_DIS and SPIRV_AS naming the tools; see shaders.cmake.
set -eu
source=$1 include=$2 output=$3
file=${source##*/}
stem=${file%.comp}
work=$output.work

said() { sed -n "s|^// $1:[[:space:]]*||p" "$source"; }
variants=$(said variants)
bfloat16=$(said bfloat16)
target=$(said target | head -n 1)
checks=$(said spirv-val | head -n 1)
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

# The 16-bit floats of $work/NAME.spv become bfloat16 (SPV_KHR_bfloat16): capabilities 5116 BFloat16TypeKHR and 5118
# BFloat16CooperativeMatrixKHR for Float16, and encoding 0, BFloat16KHR, for the type. The numbers are for assemblers
# that do not know the names. Literals would change their value and arithmetic is not defined: there must be none.
make_bfloat16() {
  "$SPIRV_DIS" --raw-id --no-header "$work/$1.spv" -o "$work/f16.spvasm"
  half=$(sed -n 's/^ *\(%[0-9]*\) = OpTypeFloat 16$/\1/p' "$work/f16.spvasm")
  if [ -z "$half" ]; then echo "$file: module $1 has no 16-bit floats" >&2; exit 1; fi
  if grep -Eq "= Op(Constant|SpecConstant|F[A-Z][A-Za-z]*) $half( |\$)" "$work/f16.spvasm"; then
    echo "$file: module $1 computes with 16-bit floats or has literals of them" >&2
    exit 1
  fi
  sed -e 's/OpCapability Float16$/OpCapability !5116/' -e '1i OpCapability !5118' \
    -e "s/OpTypeFloat 16\$/OpTypeFloat !16 !0/" \
    -e 's/^ *OpExtension "SPV_KHR_cooperative_matrix"/OpExtension "SPV_KHR_bfloat16"\n&/' \
    "$work/f16.spvasm" >"$work/bf16.spvasm"
  if ! grep -q 5116 "$work/bf16.spvasm" || ! grep -q SPV_KHR_bfloat16 "$work/bf16.spvasm"; then
    echo "$file: module $1 is no shader of cooperative matrices" >&2
    exit 1
  fi
  "$SPIRV_AS" --preserve-numeric-ids "--target-env" "$target" "$work/bf16.spvasm" -o "$work/$1.spv"
}

# The words of a module as a C++ array, and its line in the table.
write_module() {
  echo "constexpr std::uint32_t $2[] = {"
  od -An -v -tx4 -w48 "$work/$1.spv" | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'
  echo "};"
  echo "    {\"$1\", $2}," >>"$work/table"
}

{
  echo "// Generated from $file. Do not edit."
  echo "#include \"gpu_vulkan/kernels/common/shader_blobs.hpp\""
  echo "namespace plumb::gpu_vulkan::kernels::common::shaders {"
  echo "std::span<const ShaderBlob> ${stem}_modules();"
  echo "namespace {"
} >"$work/cpp"
if [ -z "$variants" ]; then
  compile "$stem"
  write_module "$stem" words >>"$work/cpp"
fi
for variant in $variants; do
  compile "$stem.$variant" "-DVARIANT_$variant=1"
  case " $bfloat16 " in *" $variant "*) make_bfloat16 "$stem.$variant" ;; esac
  write_module "$stem.$variant" "words_$variant" >>"$work/cpp"
done
{
  echo "constexpr ShaderBlob blobs[] = {"
  cat "$work/table"
  echo "};"
  echo "}  // namespace"
  echo "std::span<const ShaderBlob> ${stem}_modules() { return blobs; }"
  echo "}  // namespace plumb::gpu_vulkan::kernels::common::shaders"
} >>"$work/cpp"

# One dependency line for all variants.
{
  printf '%s:' "$output"
  cat "$work"/*.d | sed 's/^[^:]*://; s/\\$//' | tr -s ' ' '\n' | sort -u | tr '\n' ' '
  echo
} >"$output.d"
mv "$work/cpp" "$output"
