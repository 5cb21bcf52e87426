#!/bin/sh
# usage: join_level.sh LEVEL OUTPUT.o OBJECT...
# with LD, OBJCOPY and READELF naming the tools of GNU binutils; see levels.cmake.
#
# Joins the objects to one that has no global name but that of kernels_LEVEL(). What headers define (the growth of a
# std::vector<float>, Eigen's products) is in the objects of every level; linkers keep one of each name, and were the
# names not local, code that all processors run could get the one with AVX-512. All code is put into one section,
# plumb_LEVEL, which the program keeps: tests/levels/check.sh looks there for what it must not find elsewhere.
set -eu
level=$1 output=$2
shift 2
trap 'rm -f "$output.ld" "$output.all"' EXIT

echo "SECTIONS { plumb_$level : { *(.text .text.*) } }" >"$output.ld"
"$LD" -r --force-group-allocation -T "$output.ld" -o "$output.all" "$@"
if "$READELF" -SW "$output.all" | grep -E '[.](init_array|ctors|preinit_array)'; then
  echo "join_level: kernels for $level have static initialisers, which would run on every processor" >&2
  exit 1
fi
"$OBJCOPY" --wildcard "--keep-global-symbol=*kernels_${level}Ev" "$output.all" "$output"
