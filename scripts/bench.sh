#!/usr/bin/env bash
# Builds the benchmarks, runs them, and writes Google Benchmark's JSON.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/bench.sh [RESULTS.json] [arguments of Google Benchmark, such as --benchmark_filter=matmul]

Results go to bench_results.json unless named.
USAGE
}
results=bench_results.json
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "" | --*) ;;
  *)
    results=$1
    shift
    ;;
esac
results=$(realpath -m "$results")

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh release --target plumb_bench
build/release/bin/plumb_bench --benchmark_out="$results" --benchmark_out_format=json "$@"
echo "Results: $results"
