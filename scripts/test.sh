#!/usr/bin/env bash
# Sets up, builds and runs every test.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/test.sh [--preset PRESET] [arguments of ctest, such as -R layer_norm]

Without --preset it is release. Results as JUnit XML: build/PRESET/tests.xml.
environment: PLUMB_TEST_SECONDS  processor seconds that a process may take (default: 600)
USAGE
}
preset=release
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --preset)
    preset=${2:?"--preset wants a name"}
    shift 2
    ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh "$preset"
# A process that does not come to its end is stopped by what it computes, not by the clock: the machine may be busy. An
# hour by the clock ends one that waits for ever.
ulimit -t "${PLUMB_TEST_SECONDS:-600}"
ctest --test-dir "build/$preset" --timeout 3600 --output-on-failure --parallel "$(nproc)" --no-tests=error \
  --output-junit "$PWD/build/$preset/tests.xml" "$@"
