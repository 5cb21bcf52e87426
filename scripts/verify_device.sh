#!/usr/bin/env bash
# Runs the whole parity suite on a device, with a built plumb or one from a bundle, and
# writes what came of it, for people and as results files: what docs/measurements keeps.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/verify_device.sh OUTPUT_FOLDER [PLUMB [FIXTURES]]

Verifies the fixtures on the preferred device: every op's cases, and the model graphs with
f32, f16 and bf16 storage. PLUMB is build/release/bin/plumb unless given, FIXTURES the
folder fixtures/ beside the scripts. Ends 0 when every run did.
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '') usage >&2; exit 2 ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
output=$1 plumb=${2:-$root/build/release/bin/plumb} fixtures=${3:-$root/fixtures}
mkdir -p "$output"

# run NAME ARGUMENTS...: one run of plumb verify, its totals kept in summary.txt
run() {
  local name=$1 code=0
  shift
  "$plumb" verify "$@" -o "$output/$name.h5" >"$output/$name.txt" 2>"$output/$name.err" || code=$?
  printf '\n== %s: exit code %d\n' "$name" "$code"
  grep -E ' nodes: ' "$output/$name.txt" | sed "s|$fixtures/||" || true
  if [ $code -ne 0 ]; then tail -n 40 "$output/$name.txt" "$output/$name.err"; fi
}

{
  "$plumb" --version
  "$plumb" devices
  for dtype in f32 f16 bf16; do run "graphs_$dtype" "$fixtures/graphs" --dtype "$dtype"; done
  run ops "$fixtures/ops" --quiet
} | tee "$output/summary.txt"
# The braces ran in a pipe, so their status is in what they wrote.
! grep -q ': exit code [1-9]' "$output/summary.txt"
