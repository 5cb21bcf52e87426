#!/bin/sh
# usage: compile_shader.sh SOURCE.comp INCLUDE_FOLDER OUTPUT.s
# with GLSLANG, SPIRV_OPT, SPIRV_VAL, SPIRV_DIS and SPIRV_AS naming the tools, and WERROR=1 where warnings are errors;
# CACHE names a folder where modules are kept for other builds of the same sources, or is empty. See shaders.cmake.
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

# Loops of functions are unrolled before the functions become part of main: what is `precise` there (NoContraction) is
# copied with the call, while copies that the unroller of SPIRV-Tools makes lose it. tests/shaders holds modules to it.
passes="--eliminate-dead-functions --ssa-rewrite --loop-unroll -O"

rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

# compile NAME DEFINES...: SPIR-V of one module, optimised and validated, as $work/NAME.spv.
compile() {
  name=$1
  shift
  "$GLSLANG" -V --quiet --target-env "$target" -S comp "-I$include" "$@" --depfile "$work/$name.d" \
    -o "$work/$name.raw" "$source" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  # A warning is an error where it is one in C++.
  if grep -q WARNING "$work/log"; then
    cat "$work/log" >&2
    CACHE=
    if [ "$WERROR" = 1 ]; then exit 1; fi
  fi
  # shellcheck disable=SC2086  # $passes holds several arguments
  "$SPIRV_OPT" $passes "--target-env=$target" "$work/$name.raw" -o "$work/$name.spv"
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

# What another build kept of this file, if it had the same sources and tools: compiling all files again takes two
# minutes of a processor.
take_kept() {
  if [ -z "$CACHE" ] || ! sha256sum --check --status "$CACHE/$stem/manifest" 2>/dev/null; then return 1; fi
  cp "$CACHE/$stem/"*.spv "$CACHE/$stem/"*.d "$work/"
}

# A folder appears whole, under its own name; of two builds that keep the same file, the last one stays.
keep() {
  if [ -z "$CACHE" ]; then return; fi
  kept=$CACHE/$stem.$$
  mkdir -p "$kept"
  cp "$work"/*.spv "$work"/*.d "$kept/"
  tools=$(command -v "$GLSLANG" "$SPIRV_OPT" "$SPIRV_VAL" "$SPIRV_DIS" "$SPIRV_AS")
  # shellcheck disable=SC2046,SC2086  # several files each
  sha256sum "$0" $tools $(dependencies) >"$kept/manifest"
  rm -rf "${CACHE:?}/$stem"
  mv -T "$kept" "$CACHE/$stem" || rm -rf "$kept"
}

# The files that modules were made of, one a line.
dependencies() { cat "$work"/*.d | sed 's/^[^:]*://; s/\\$//' | tr -s ' ' '\n' | sed '/^$/d' | sort -u; }

# Modules as data for the assembler, which takes them as they are where a C++ compiler would read every number; and of
# each a row of the table plumb_shaders_STEM: gpu_vulkan/kernels/common/shader_blobs.hpp has its type, ShaderEntry.
write_module() {
  mv "$work/$1.spv" "$modules/"
  printf '.balign 4\n.L%s:\n.incbin "%s"\n.L%s_end:\n' "$2" "$modules/$1.spv" "$2" >>"$work/words"
  printf '.L%s_name: .asciz "%s"\n' "$2" "$1" >>"$work/names"
  printf '.quad .L%s_name, .L%s, .L%s_end\n' "$2" "$2" "$2" >>"$work/table"
}

compile_all() {
  if [ -z "$variants" ]; then compile "$stem"; fi
  for variant in $variants; do
    compile "$stem.$variant" "-DVARIANT_$variant=1"
    case " $bfloat16 " in *" $variant "*) make_bfloat16 "$stem.$variant" ;; esac
  done
}

if ! take_kept; then
  compile_all
  keep
fi
# One dependency line for all variants.
{
  printf '%s: ' "$output"
  dependencies | tr '\n' ' '
  echo
} >"$output.d"
modules=${output%/*}/modules
mkdir -p "$modules"
if [ -z "$variants" ]; then write_module "$stem" words; fi
for variant in $variants; do write_module "$stem.$variant" "words_$variant"; done
{
  echo "# Generated from $file. Do not edit."
  echo '.section .rodata'
  cat "$work/words" "$work/names"
  echo '.section .data.rel.ro, "aw"'
  echo '.balign 8'
  echo ".globl plumb_shaders_$stem, plumb_shaders_${stem}_end"
  echo ".hidden plumb_shaders_$stem, plumb_shaders_${stem}_end"
  echo "plumb_shaders_$stem:"
  cat "$work/table"
  echo "plumb_shaders_${stem}_end:"
  echo '.section .note.GNU-stack, "", @progbits'
} >"$work/s"
mv "$work/s" "$output"
