#!/usr/bin/env bash
# What verifying costs on this machine: whole commands by number of threads, then the judging alone by plumb_bench, the
# candidate's own time left out. docs/attribution.md has results.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/bench_verify.sh OUTPUT_FOLDER [PROFILE.toml]

Runs where scripts/bundle.sh --bench was unpacked, or in the source tree after scripts/build.sh release --target plumb
plumb_bench. PROFILE is what \`plumb probe\` wrote of the device; without it one is measured. Writes commands.txt (wall
and processor seconds and the largest memory of each command) and judging.json (Google Benchmark's, of attribution/).
USAGE
}
case ${1:--h} in
  -h | --help) usage; exit 0 ;;
esac
output=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=bin
[ -x bin/plumb ] || bin=build/release/bin
mkdir -p "$output"
profile=${2:-$output/profile.toml}
[ -e "$profile" ] || "$bin/plumb" probe -o "$profile"

# Seconds on the wall, processor seconds of all cores, and MiB, as the system accounts for the child.
timed() {
  python3 - "$@" <<'PYTHON'
import resource, subprocess, sys, time
name, command = sys.argv[1], sys.argv[2:]
start = time.monotonic()
code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{name:44} {wall:8.2f} s wall {used.ru_utime + used.ru_stime:8.2f} s processor {used.ru_maxrss / 1024:8.0f} MiB"
      f"  exit {code}", flush=True)
PYTHON
}
cores=$(nproc)
{
  for graph in bert_base eeg_encoder; do
    for threads in 1 2 4 8 16; do
      if [ "$threads" -gt "$cores" ]; then continue; fi
      timed "$graph, $threads threads" "$bin/plumb" verify -q "fixtures/graphs/$graph.json" --threads "$threads"
    done
  done
  in_f16=("$bin/plumb" verify -q fixtures/graphs/bert_base.json --dtype f16)
  timed "bert_base f16" "${in_f16[@]}" --profile "$profile"
  timed "bert_base f16, --emulate" "${in_f16[@]}" --emulate "$profile"
} | tee "$output/commands.txt"
"$bin/plumb_bench" --benchmark_filter=attribution/ --benchmark_out="$output/judging.json" --benchmark_out_format=json
