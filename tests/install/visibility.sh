#!/bin/sh
# usage: visibility.sh BUILD_FOLDER SCRATCH_FOLDER CXX
#
# A shared library that holds the static ones must show nothing of them: names are hidden (cmake/library.cmake), so that
# two such libraries with two versions of plumbline can meet in one program. Nothing links the Vulkan loader, or has a
# function that is called as one of the loader's is: a program that links it itself has both.
set -eu
build=$1 scratch=$2 cxx=$3
rm -rf "$scratch"
mkdir -p "$scratch"

# shown LIBRARY: the names of namespace plumb that a program could find in it. Templates of the standard library over
# types of plumb are not among them: GCC shows those over enums, and any two of a name are the same code.
shown() { nm -D --defined-only "$1" | grep -E ' _Z(T[VIS]|GV|Z)*NK?5plumb' | c++filt || true; }

# What they stand on is left open, as a shared library may.
"$cxx" -shared -o "$scratch/all.so" -Wl,--whole-archive "$build"/lib/libplumb_*.a -Wl,--no-whole-archive
found=$(shown "$scratch/all.so")
if [ -n "$found" ]; then
  echo "visibility.sh: $(echo "$found" | wc -l) names are not hidden, such as" >&2
  echo "$found" | head -n 10 >&2
  exit 1
fi

# of_the_loader FILE...: the symbols that would take the place of the loader's, or the loader as what a program needs.
of_the_loader() {
  nm --defined-only "$@" 2>/dev/null | grep -E ' [A-Za-z] vk[A-Z]' || true
  readelf -d "$@" 2>/dev/null | grep -E 'NEEDED.*libvulkan' || true
}
found=$(of_the_loader "$build"/lib/libplumb_*.a "$build/bin/plumb" "$scratch/all.so")
if [ -n "$found" ]; then
  echo "visibility.sh: Vulkan's loader is linked, or its names are used:" >&2
  echo "$found" | head -n 10 >&2
  exit 1
fi
echo 'extern "C" int vkPlanted() { return 1; }' >"$scratch/vulkan.cpp"
"$cxx" -fPIC -shared -o "$scratch/vulkan.so" "$scratch/vulkan.cpp"
[ -n "$(of_the_loader "$scratch/vulkan.so")" ] || { echo "visibility.sh: vkPlanted went unnoticed" >&2; exit 1; }

echo 'namespace plumb { int planted() { return 1; } }' >"$scratch/planted.cpp"
"$cxx" -fPIC -shared -o "$scratch/planted.so" "$scratch/planted.cpp"
[ -n "$(shown "$scratch/planted.so")" ] || { echo "visibility.sh: a planted name went unnoticed" >&2; exit 1; }
