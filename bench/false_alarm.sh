#!/usr/bin/env bash
# How often runs that are clean, and that the fit has not seen, fail by fitted limits: docs/fit.md has the numbers.
# usage: bench/false_alarm.sh [GRAPH [SEEDS [HELD_OUT [FALSE_ALARM_PER_RUN]]]]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
graph=${1:-$root/bench/false_alarm.json} seeds=${2:-2000} held_out=${3:-10000} promised=${4:-0.01}
plumb=${PLUMB:-$root/build/release/bin/plumb}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$plumb" verify "$graph" --seeds "$seeds" -o "$work/seen.h5" -q
"$plumb" fit "$work/seen.h5" -o "$work/fitted.toml" --false-alarm "$promised"
# Other inputs, the same params; failures are what is counted, so they do not end the script.
echo "promised: a share of $promised of $held_out runs fails"
"$plumb" verify "$graph" --seed 1000001 --param-seed 1 --seeds "$held_out" --policy "$work/fitted.toml" -q |
  sed -n '/median ratio/,$p' || test $? = 1
