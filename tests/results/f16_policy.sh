#!/bin/sh
# usage: f16_policy.sh SOURCE SCRATCH_FOLDER PLUMB [LAUNCHER...]
#
# Runs the commands that docs/f16.md goes by from a model to a plan and a policy, on a small network and
# fewer seeds: those that are clean pass by the policy, and sums that are kept in f16 fail. Ends with 77 on a device
# whose cooperative matrices do not sum in f16.
set -eu
source=$1 scratch=$2 plumb=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
cp "$source/fixtures/onnx/encoder_in_primitives.onnx" model.onnx

awk '/^## / { inside = /From a model to a policy/ } inside && /^(plumb|sed) /' "$source/docs/f16.md" |
  sed 's/--budget [^ ]*/--budget 3e-4/; s/--seeds 5 /--seeds 2 /; s/--seeds 40/--seeds 20/; s/--seeds 200/--seeds 20/' \
    >commands.txt
[ "$(wc -l <commands.txt)" -eq 6 ] || { echo "f16_policy.sh: the page has not six commands"; exit 1; }

launched="$* $plumb"  # paths of a build: without spaces
$launched devices | grep -q 'f16 x f16 + f16 -> f16' || {
  echo "skipped: no device has cooperative matrices of f16 that are summed in f16"
  exit 77
}
status=0
while read -r command rest; do
  [ "$status" -eq 0 ] || { echo "f16_policy.sh: ended with $status"; exit "$status"; }
  echo "\$ $command $rest"
  if [ "$command" = plumb ]; then command=$launched; fi
  eval "$command $rest" >out.txt 2>&1 </dev/null || status=$?
  cat out.txt
done <commands.txt
grep -q f16acc32 plan.toml || { echo "skipped: no product of so small a network is faster in f16 here"; exit 77; }

# The last one runs what was not meant: f16 in place of f32 behind the products.
[ "$status" -eq 1 ] || { echo "f16_policy.sh: sums in f16 end with $status, wanted 1"; exit 1; }
grep -q 'the total of y is beyond \[output\]' out.txt
