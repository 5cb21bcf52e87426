#!/bin/sh
# usage: headers.sh BUILD_FOLDER SCRATCH_FOLDER CXX
#
# Installs the build into a new prefix and compiles every header that is there by itself: what it includes of ours must
# be installed, too, and come with it. The standard library's headers, most of the time that takes, are precompiled.
set -eu
build=$1 scratch=$2 cxx=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
include=$scratch/prefix/include/plumbline
cd "$include"

find . -name '*.hpp' -exec sed -n 's/^#include \(<[a-z_]*>\)$/#include \1/p' {} + | sort -u >"$scratch/standard.hpp"
flags="-std=c++20 -Wall -Wextra -Wpedantic -I$include"
# shellcheck disable=SC2086  # several flags
"$cxx" $flags -x c++-header "$scratch/standard.hpp"
case $("$cxx" --version) in
  *clang*) mv "$scratch/standard.hpp.gch" "$scratch/standard.hpp.pch" ;;
esac

# compiles HEADER: alone, from a file that includes nothing else of ours.
cat >"$scratch/compiles" <<SCRIPT
echo "#include \"\$1\"" | $cxx $flags -Werror -include "$scratch/standard.hpp" -fsyntax-only -x c++ - ||
  { echo "\$1 does not compile by itself from what is installed" >&2; exit 1; }
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
xargs -n 1 -P "$(nproc)" sh "$scratch/compiles" <"$scratch/headers"
