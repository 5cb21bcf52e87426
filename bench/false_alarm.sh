#!/usr/bin/env bash
# How often runs that are clean, and that the fit has not seen, fail by fitted limits: docs/fit.md has the numbers.
# usage: bench/false_alarm.sh [GRAPH [SEEDS [HELD_OUT [FALSE_ALARM_PER_RUN]]]]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
graph=${1:-$root/bench/false_alarm.json} seeds=${2:-2000} held_out=${3:-10000} promised=${4:-0.01}
plumb=${PLUMB:-$root/build/release/bin/plumb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A failure is what is counted, or a finding of the fit, so it does not end the script.
"$plumb" verify "$graph" --seeds "$seeds" -o "$work/seen.h5" -q >"$work/seen.txt" || test $? = 1
sed -n '/median ratio/,$p' "$work/seen.txt"
"$plumb" fit "$work/seen.h5" -o "$work/fitted.toml" --false-alarm "$promised" || test $? = 1
# Other inputs, the same params.
echo "promised: a share of $promised of $held_out runs fails"
"$plumb" verify "$graph" --seed 1000001 --param-seed 1 --seeds "$held_out" --policy "$work/fitted.toml" -q |
  sed -n '/median ratio/,$p' || test $? = 1
