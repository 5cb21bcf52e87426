#!/bin/sh
# usage: run.sh SOURCE_FOLDER LIBRARY SCRATCH_FOLDER CC CXX
#
# The shared library as C has it: its header in C99 and in C++, its symbols as ABI 1 has them, what it refuses, tensors
# that stay with an executor, what it leaves alone of the program around it, the example of the docs, and what it links.
set -eu
source=$1 library=$2 scratch=$3 cc=$4 cxx=$5
here=$source/tests/library/abi
rm -rf "$scratch"
mkdir -p "$scratch"

# Symbols are never taken away, and nothing but them is shown.
nm -D --defined-only "$library" | sed -n 's/.* T \([a-z_]*\)@@PLUMB_1$/\1/p' | sort >"$scratch/symbols"
diff "$here/symbols.txt" "$scratch/symbols" ||
  { echo "the symbols of ABI 1 are tests/library/abi/symbols.txt" >&2; exit 1; }
if nm -D --defined-only "$library" | grep -v -e '@@PLUMB_1$' -e ' A PLUMB_1$' | grep . >&2; then
  echo "the library shows more than plumb_..." >&2
  exit 1
fi
if readelf -d "$library" | grep -i 'needed.*vulkan' >&2; then
  echo "the library links the Vulkan loader" >&2
  exit 1
fi

echo '#include <plumbline.h>' >"$scratch/header.c"
for compiler in "$cc -std=c99" "$cc -std=c17" "$cxx -std=c++20 -x c++"; do
  # shellcheck disable=SC2086  # a compiler and its flags
  $compiler -pedantic -Wall -Wextra -Werror -I"$source/library" -fsyntax-only "$scratch/header.c"
done
build() {
  "$cc" -std=c99 -pedantic -Wall -Wextra -Werror -I"$source/library" "$1" -o "$2" "$library" -lm \
    "-Wl,-rpath,$(dirname "$library")"
}
build "$here/layout.c" "$scratch/layout"
"$scratch/layout" | diff "$here/layout.txt" - || { echo "structs of ABI 1 only grow at their ends" >&2; exit 1; }
for part in misuse residency residency_misuse host_memory; do
  build "$here/$part.c" "$scratch/$part"
  "$scratch/$part" "$here/decoder.json"
done
build "$here/caller.c" "$scratch/caller"
localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>"$scratch/no_locale" || cat "$scratch/no_locale"
LOCPATH=$scratch LC_ALL=de_DE.UTF-8 "$scratch/caller"
build "$here/guest.c" "$scratch/guest"
mkdir "$scratch/home"
if ! HOME=$scratch/home "$scratch/guest" "$source/fixtures/graphs/bert_tiny.json" \
  "$source/fixtures/networks/experts/model.onnx" >"$scratch/printed" 2>&1 || [ -s "$scratch/printed" ]; then
  cat "$scratch/printed" >&2
  echo "the library does what no guest may" >&2
  exit 1
fi
rmdir "$scratch/home"  # nothing was written there
build "$source/docs/example/library.c" "$scratch/example"
"$scratch/example" | tee "$scratch/said"
grep -q '^check: passed$' "$scratch/said"
grep -q '^verify: failed$' "$scratch/said"
grep -q 'is element 4: expected 0.24472847' "$scratch/said"
folder=$(dirname "$library")
if rustc --version >/dev/null 2>&1; then
  rustc --edition 2021 -D warnings "$source/docs/example/library.rs" -o "$scratch/rust" -L "$folder" \
    -C "link-arg=-Wl,-rpath,$folder"
  "$scratch/rust" | tee "$scratch/said"
  grep -q '^run: \[0\.0900305' "$scratch/said"
  grep -q '^verify: 0$' "$scratch/said"
  grep -q '^check: 1$' "$scratch/said"
else
  echo "run.sh: without rustc, library.rs is not tried"
fi
