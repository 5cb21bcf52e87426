#!/usr/bin/env bash
# Fuzzes the readers of files under AddressSanitizer and UBSan. Ends with an error when an
# input crashed, hung or took more memory than allowed; that input is kept beside the seeds.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/fuzz.sh [RUNS [TARGET...]]

RUNS executions (100000 unless given) of each TARGET: onnx, graph (both unless given).
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
runs=${1:-100000}
shift || true
[ $# -gt 0 ] || set -- onnx graph

cd "$(dirname "${BASH_SOURCE[0]}")/.."
targets=()
for name in "$@"; do targets+=("${name}_fuzz"); done
scripts/build.sh fuzz --target "${targets[@]}"

# Debian's protobuf and TBB are not instrumented: what they do to a container looks like overflow.
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=0:detect_odr_violation=0

# Besides its own folder.
seeds_of() { if [ "$1" = graph ]; then echo fixtures/ops fixtures/invalid; fi; }

for name in "$@"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "fuzz: $name, $runs executions"
  build/fuzz/bin/"${name}_fuzz" -runs="$runs" -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=1024 \
    -max_len=65536 -print_final_stats=1 -verbosity=0 -artifact_prefix=tests/fuzz/"$name"/found_ \
    "$corpus" tests/fuzz/"$name" $(seeds_of "$name")
done
