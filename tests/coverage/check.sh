#!/bin/sh
# usage: check.sh [--page] SOURCE SCRATCH_FOLDER PLUMB [LAUNCHER]
#
# Holds docs/coverage.md and explained.txt to what the fixtures reach on the first device and on the last, which has
# other kernels; without a LAUNCHER there is no last one, and nothing is said. --page writes the page.
set -eu
how=--check
if [ "$1" = --page ]; then how=--page; shift; fi
source=$1 scratch=$2 plumb=$3 launcher=${4:-}
if [ -z "$launcher" ]; then echo "one software device alone does not reach all kernels"; exit 77; fi
mkdir -p "$scratch"
cd "$source"
graphs=
for name in bert_tiny conv_norm_relu encoder_in_primitives llama_block residual_block vit_block wide_residual_block; do
  graphs="$graphs fixtures/graphs/$name.json"
done
# The width of vectors that tests set is the first device's alone.
last() { env -u LP_NATIVE_VECTOR_WIDTH "$launcher" "$plumb" reach "$@"; }
# shellcheck disable=SC2086  # these are several arguments
{
  "$plumb" reach fixtures/ops $graphs >"$scratch/first.jsonl"
  last fixtures/ops >"$scratch/last.jsonl"
  last --dtype f16 $graphs >"$scratch/last_f16.jsonl"
}
python3 scripts/coverage_table.py "$how" docs/coverage.md "$scratch/first.jsonl" "$scratch/last.jsonl" \
  "$scratch/last_f16.jsonl"
