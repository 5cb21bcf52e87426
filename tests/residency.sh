#!/bin/sh
# residency.sh GRAPH PLUMB...: of one graph, relations of the whole graph hold, and `residency` is among them. Of the
# nodes the last is verified alone, since verify has to be given one.
set -eu
graph=$1
shift
label=$(sed -n 's/^ *{"label": "\([^"]*\)".*/\1/p' "$graph" | tail -n 1)
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
"$@" verify "$graph" --metamorphic --mode isolate --filter "^$label\$" -v >"$output" 2>&1 || status=$?
cat "$output"
[ "$status" -eq 0 ] || exit "$status"
if ! grep -q ': residency (two contexts, bound.*) holds, bit by bit$' "$output"; then
  echo "residency.sh: the relation was not asked"
  exit 1
fi
