#!/bin/sh
# usage: results.sh PLUMB SOURCE_FOLDER SCRATCH_FOLDER "LEVEL;LEVEL;..."
#
# Runs a program that has kernels for these levels on all that this processor has, and holds docs/design.md ("Levels of
# processors") to its word:
#   * every op gives the same bits on all levels, in its dtype and in f64, but for those that sum products and for
#     products of complex numbers;
#   * on every level every op is within its limits, those that sum products too;
#   * what a kernel throws arrives, and a level that cannot run is refused in one line.
set -u
plumb=$1 source=$2 scratch=$3 compiled=$(echo "$4" | tr ';' ' ')
rm -rf "$scratch"
mkdir -p "$scratch"
status=0
complain() {
  echo "results.sh: $*"
  status=1
}
sums_products=' attention conv conv_transpose dot_general einsum gemm matmul cumulative/complex_numbers '

# refused LEVEL PATTERN
refused() {
  PLUMB_CPU_LEVEL=$1 "$plumb" run --on cpu "$source/fixtures/graphs/bert_tiny.json" >"$scratch/out" 2>&1
  [ $? -eq 2 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ] && grep -q "$2" "$scratch/out" ||
    complain "PLUMB_CPU_LEVEL=$1 is not refused in one line: $(cat "$scratch/out")"
}
refused v9 "^plumb: PLUMB_CPU_LEVEL is 'v9', but the levels of this program are "

levels=
for level in $compiled; do
  case $level in v2) flag=sse4_2 ;; v3) flag=avx2 ;; v4) flag=avx512vl ;; esac
  if grep -qw "$flag" /proc/cpuinfo; then
    levels="$levels $level"
  else
    echo "$level cannot run here: this processor has no $flag"
    refused "$level" "^plumb: PLUMB_CPU_LEVEL is '$level', but this processor has no instructions above "
  fi
done
echo "levels that run here:$levels"

differ=
for graph in "$source"/fixtures/ops/*/*.json; do
  op=$(basename "$(dirname "$graph")") name=$(basename "$graph" .json)
  first=
  for level in $levels; do
    PLUMB_CPU_LEVEL=$level "$plumb" dump "$graph" --from cpu --truth -o "$scratch/$level.npz" >"$scratch/out" 2>&1 ||
      { complain "$level: plumb dump $graph: $(cat "$scratch/out")"; break; }
    if [ -z "$first" ]; then
      first=$level
    elif ! cmp -s "$scratch/$first.npz" "$scratch/$level.npz"; then
      case $sums_products in
        *" $op "* | *" $op/$name "*) differ="$differ $op/$name:$level" ;;
        *) complain "$op/$name has other bits on $level than on $first" ;;
      esac
    fi
  done
done
echo "sums of products that differ from those of the lowest level:$differ"

for level in $levels; do
  PLUMB_CPU_LEVEL=$level "$plumb" power --on cpu --faults scaled --min-power 0 "$source"/fixtures/ops/*/*.json \
    "$source/fixtures/graphs/bert_tiny.json" >"$scratch/$level.power" 2>&1 ||
    complain "$level: plumb power ended with $?"
  grep -q ' passed$' "$scratch/$level.power" || complain "$level: nothing passed"
  if grep ' failed$' "$scratch/$level.power"; then complain "$level is beyond its limits"; fi
  bad=$source/fixtures/invalid/gather_index_past_the_end.json
  PLUMB_CPU_LEVEL=$level "$plumb" run --on cpu "$bad" >"$scratch/out" 2>&1
  [ $? -eq 2 ] && grep -q "^plumb: node 'y' (gather): " "$scratch/out" || complain "$level: $(cat "$scratch/out")"
done
exit $status
