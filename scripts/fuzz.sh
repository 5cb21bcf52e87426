#!/usr/bin/env bash
# Fuzzes the readers of files under AddressSanitizer and UBSan. Ends with an error when an input crashed, hung or took
# more memory than allowed; that input is kept in build/fuzz/found, to be put beside the seeds in tests/fuzz. So are
# those on which HDF5 crashed in a child process, which is no error.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/fuzz.sh [RUNS [TARGET...]]

RUNS executions (100000 unless given) of each TARGET: graph, onnx, tensors, results, gguf, answers (all unless given).
Each may take 2 s of processor time and 1 GiB of memory, children included.
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
runs=${1:-100000}
shift || true
[ $# -gt 0 ] || set -- graph onnx tensors results gguf answers

cd "$(dirname "${BASH_SOURCE[0]}")/.."
targets=()
for name in "$@"; do targets+=("${name}_fuzz"); done
scripts/build.sh fuzz --target "${targets[@]}"

# Debian's protobuf and TBB are not instrumented: what they do to a container looks like overflow. HDF5 loses buffers
# when it gives up. Freed memory is kept for 32 MiB, or most of what is allowed would be that.
options=detect_container_overflow=0:allocator_may_return_null=0:detect_odr_violation=0:quarantine_size_mb=32
declare -A leaks=([tensors]=0 [results]=0)

# Besides its own folder.
seeds_of() { if [ "$1" = graph ]; then echo fixtures/ops fixtures/invalid; fi; }

for name in "$@"; do
  corpus=build/fuzz/corpus/$name found=build/fuzz/found/$name log=build/fuzz/$name.log
  mkdir -p "$corpus" "$found"
  echo "fuzz: $name, $runs executions"
  ASAN_OPTIONS=$options:detect_leaks=${leaks[$name]:-1} build/fuzz/bin/"${name}_fuzz" -runs="$runs" -timeout=30 \
    -rss_limit_mb=1024 -malloc_limit_mb=1024 -detect_leaks="${leaks[$name]:-1}" -max_len=131072 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$found"/ "$corpus" tests/fuzz/"$name" $(seeds_of "$name") 2>&1 |
    tee "$log" | tail -n 40
  # What a sanitizer found in a child process did not end the fuzzer.
  python3 tests/fuzz/findings.py "$log"
done
