#!/bin/sh
# usage: f16_accumulation.sh SOURCE SCRATCH_FOLDER PLUMB [LAUNCHER...]
#
# The results file of a product that is summed in f16 says so: in h5dump, to policies and to judge and fit. Ends with 77
# on a device whose cooperative matrices do not sum in f16, and without h5dump.
set -eu
source=$1 scratch=$2 plumb=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

fail() {
  echo "f16_accumulation.sh: $*"
  exit 1
}

# says FILE PATTERN...: each pattern is in the file.
says() {
  file=$1
  shift
  for pattern; do
    grep -qE -- "$pattern" "$file" || { cat "$file"; fail "$file does not say: $pattern"; }
  done
}

command -v h5dump >/dev/null || { echo "skipped: no h5dump, hdf5-tools is not installed"; exit 77; }

"$@" "$plumb" verify "$source/tests/results/halves.json" --precision f16acc16 --seeds 20 -o out.h5 \
  --policy "$source/tests/results/halves.toml" --explain scores >verify.txt || {
  status=$?
  cat verify.txt
  exit $status
}
[ -s out.h5 ] || { echo "skipped: nothing ran"; exit 77; }
"$plumb" inspect --check-schema out.h5

device=$(h5dump -n out.h5 | sed -n 's|.* \(/device/.*/coopmat\)$|\1|p' | head -n 1)
h5dump -d "$device" -y out.h5 >shapes.txt
# M, N, K, a, b, c, r of a shape: the last two say what it is summed in.
tr -d '\n ' <shapes.txt | grep -q 'f16,f16,f16,f16' || {
  echo "skipped: the device has no cooperative matrices of f16 that are summed in f16"
  exit 77
}

h5dump -d /results/nodes out.h5 >nodes.txt
says nodes.txt '"accumulation"'
# The row of a cast has no accumulation, that of the product f16; then come the place and the number of its sums, four
# counts of elements, and what a sample of them was asked.
tr -d '\n ' <nodes.txt >rows.txt
says rows.txt 'f16,[0-9]+,1(,[0-9]+){4},' 'none,-1,0(,[0-9]+){4},'
graph=$(h5dump -n out.h5 | sed -n 's|.* \(/graph/.*/sums\)$|\1|p' | head -n 1)
h5dump -d "$graph" out.h5 >sums.txt
says sums.txt 'scores' 'matrix' 'accumulator.*f16'
h5dump -d /names out.h5 >names.txt
says names.txt '"coopmat' '"f16acc16"'

says verify.txt 'accumulation f16' 'summed-in-f16 .*: matches'
"$plumb" judge out.h5 --explain scores >judge.txt
says judge.txt 'accumulation f16' 'summed-in-f16 .*: matches' '20 runs: 20 passed; 0 changed'
"$plumb" fit out.h5 -o fit.toml >fit.txt
says fit.toml 'op = "matmul", in = "f16", dtype = "f32", accumulation = "f16"'
"$plumb" inspect -v out.h5 >inspect.txt
says inspect.txt 'f16acc16' 'matmul.* coopmat.* f16 .* passed'
