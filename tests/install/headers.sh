#!/bin/sh
# usage: headers.sh BUILD_FOLDER SCRATCH_FOLDER CXX
#
# Installs the build into a new prefix and compiles the headers that are there, in the order of their names and in the
# opposite one: what a header includes of ours must be installed, too, and come with it. (One that needs what both a
# header before it and one behind it include would pass; the sources of its library, which include it first, would not.)
set -eu
build=$1 scratch=$2 cxx=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
include=$scratch/prefix/include/plumbline
cd "$include"

flags="-std=c++20 -Wall -Wextra -Wpedantic -I$include"

# compiles HEADER...: from a file that includes nothing else of ours.
cat >"$scratch/compiles" <<SCRIPT
printf '#include "%s"\\n' "\$@" | $cxx $flags -Werror -fsyntax-only -x c++ - ||
  { echo "what is installed does not compile by itself" >&2; exit 1; }
SCRIPT
# One that includes a header that is not public is told apart.
echo '#include "ir/formats/zip.hpp"' >"$include/planted.hpp"
if sh "$scratch/compiles" planted.hpp 2>"$scratch/planted.log"; then
  echo "planted.hpp includes ir/formats/zip.hpp, which is not public, and was let pass" >&2
  exit 1
fi
rm "$include/planted.hpp"
find . -name '*.hpp' | sed 's|^\./||' | sort >"$scratch/headers"
[ "$(wc -l <"$scratch/headers")" -gt 100 ]
# shellcheck disable=SC2046  # no name has a space
sh "$scratch/compiles" $(cat "$scratch/headers") & forwards=$!
# shellcheck disable=SC2046
sh "$scratch/compiles" $(sort -r "$scratch/headers")
wait "$forwards"
