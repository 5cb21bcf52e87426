#!/usr/bin/env bash
# Measures the Vulkan executor and PyTorch on one GPU, one after the other, and puts them
# side by side: in a tree that has been built, or in an unpacked bundle (bundle.sh --bench).
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/bench_h200.sh [--filter REGEX] [--budget MS] OUTPUT_FOLDER

Wants a GPU with a Vulkan driver, and Python with PyTorch and Triton for it. Writes
table.md, table.json, and what was measured: ours.json and torch.json. --filter measures
only cases whose names match. Ends 0 when no case failed on either side.
USAGE
}
filter='' budget=60 output=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --filter | --budget)
      [ $# -gt 1 ] || { usage >&2; exit 2; }
      if [ "$1" = --filter ]; then filter=$2; else budget=$2; fi
      shift
      ;;
    -*) echo "bench_h200: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
[ -n "$output" ] || { usage >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$root/bin/plumb_gpu_bench
[ -x "$program" ] || program=$root/build/release/bin/plumb_gpu_bench
if ! [ -x "$program" ]; then
  echo "bench_h200: no plumb_gpu_bench here: scripts/build.sh release --target plumb_gpu_bench" >&2
  exit 2
fi
mkdir -p "$output"
rm -f "$output"/{ours,torch,table}.json "$output/table.md"

failed=0
"$program" --filter "$filter" --budget "$budget" -o "$output/ours.json" || failed=1
python3 "$root/bench/peers/torch_peer.py" --filter "$filter" -o "$output/torch.json" || failed=1
python3 "$root/bench/peers/table.py" "$output/ours.json" "$output/torch.json" -o "$output/table.json" \
  >"$output/table.md" || failed=1
cat "$output/table.md"
exit $failed
