#!/bin/sh
# usage: run.sh SOURCE_FOLDER SCRATCH_FOLDER [CMAKE_ARGUMENTS...]
#
# Adds an op and a fused op to a copy of the tree with new files only (tests/new_op/tree), and checks
# that every table and ctest know it. Compiles just what the new files need.
set -eu
source=$1 scratch=$2
shift 2
new=$source/tests/new_op/tree
copy=$scratch/tree

rm -rf "$scratch"
mkdir -p "$copy"
for part in CMakeLists.txt cmake ir ref_cpu gpu_vulkan parity library python tests bench fixtures; do
  if [ -e "$source/$part" ]; then cp -r "$source/$part" "$copy/"; fi
done
for file in $(cd "$new" && find . -type f); do
  if [ -e "$copy/$file" ]; then echo "new_op: $file is in the tree already" >&2; exit 1; fi
  mkdir -p "$copy/$(dirname "$file")"
  cp "$new/$file" "$copy/$file"
done

build=$scratch/build
cmake -S "$copy" -B "$build" -G Ninja "$@" >"$scratch/configure.log"
tables=$build/generated
for layer in ir ref_cpu gpu_vulkan parity/element; do
  grep -q 'plumb::ir::ops::Toy' "$tables/$layer/op_table.hpp" || { echo "new_op: $layer's table lacks it" >&2; exit 1; }
done
grep -q 'fused_ops::ToyPair' "$tables/gpu_vulkan/fused_ops/op_table.hpp" ||
  { echo "new_op: the table of fused ops lacks it" >&2; exit 1; }
# Objects of gpu_vulkan wait for all shaders, of which only the new one matters here: so their commands are run as such.
objects=gpu_vulkan/CMakeFiles/plumb_gpu_vulkan.dir
ninja -C "$build" generated/gpu_vulkan/shaders/toy.s ref_cpu/CMakeFiles/plumb_ref_cpu_kernels.dir/ops/toy.cpp.o \
  parity/CMakeFiles/plumb_parity.dir/element/ops/toy.cpp.o
mkdir -p "$build/$objects/ops" "$build/$objects/fused_ops" "$build/$objects/__/generated/gpu_vulkan/shaders"
for object in ops/toy.cpp.o fused_ops/toy_pair.cpp.o __/generated/gpu_vulkan/shaders/toy.s.o; do
  command=$(ninja -C "$build" -t commands -s "$objects/$object" | tail -n 1)
  (cd "$build" && sh -c "$command") || { echo "new_op: $object does not compile" >&2; exit 1; }
done
grep -q 'plumb_shaders_toy_end' "$tables/gpu_vulkan/shaders.cpp" ||
  { echo "new_op: its shader is not embedded" >&2; exit 1; }

names=$(ctest --test-dir "$build" -N)
case $names in
  *": fixtures.toy"*) ;;
  *) echo "new_op: ctest has no test fixtures.toy" >&2; exit 1 ;;
esac
