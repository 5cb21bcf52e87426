#!/usr/bin/env bash
# Looks for data races in what judges, compares and computes on several threads, with ThreadSanitizer.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/tsan.sh [arguments of ctest, such as -R judging]

Builds what of the preset tsan it needs, and runs the tests races.*, and suites of ref_cpu and parity whose code runs on
several threads. Results as JUnit XML: build/tsan/tests.xml. docs/build_time.md says what it does not see.
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh tsan --target plumb ref_cpu_tests parity_tests
reference='Parallel|CpuExecutor|CpuAttentionThreads|Reduce|ReduceSweep|Signal|Scatter.*|Ordering|StridedCopy|Trees'
reference+='|CpuThreads|Submitted|SubmittingThread|Resident|ReplacedParams|Imported'
parity='Threads|Shares|MadeAhead|ForEachPiece|ThreadLimit|Compare|Measure|Telling|Mode|Attribution|Bounds|VerifyFile'
parity+='|ResidencyRelation'
[ $# -gt 0 ] || set -- -R "^(races\\..*|ref_cpu\\.($reference)|parity\\.($parity))\$"
ulimit -t "${PLUMB_TEST_SECONDS:-900}"
ctest --test-dir build/tsan --timeout 3600 --output-on-failure --parallel "$(nproc)" --no-tests=error \
  --output-junit "$PWD/build/tsan/tests.xml" "$@"
