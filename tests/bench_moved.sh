#!/bin/sh
# usage: bench_moved.sh PLUMB_BENCH SOURCE_FOLDER SCRATCH_FOLDER
#
# A benchmark program that was carried somewhere else, as scripts/bundle.sh does, runs the fixtures that lie there.
set -eu
program=$1 source=$2 bundle=$3
rm -rf "$bundle"
mkdir -p "$bundle/libexec" "$bundle/fixtures/ops/softmax" "$bundle/fixtures/graphs" "$bundle/bench/ops"
cp "$program" "$bundle/libexec/"
cp "$source/fixtures/graphs/bert_tiny.json" "$bundle/fixtures/graphs/carried_here.json"
unset PLUMB_SOURCE_DIR
cd /
listed=$("$bundle/libexec/plumb_bench" --benchmark_list_tests --benchmark_filter=graphs/)
if [ "$(echo "$listed" | grep -c '^cpu/graphs/carried_here/')" != 1 ] || echo "$listed" | grep -q bert_base; then
  echo "the program lists other graphs than those that lie beside it: $listed" >&2
  exit 1
fi
