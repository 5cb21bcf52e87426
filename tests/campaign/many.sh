#!/bin/sh
# usage: many.sh CASES ROUNDS SCRATCH PLUMB [ARGUMENT_OF_VERIFY]
#
# Tries a campaign of many cases, which takes an hour: one worker, four, and four ranks of mpirun of which one is killed
# at a third, must give the values of `verify --shard k/4`, and no task is done again. Then ROUNDS times four workers:
# one is killed at a random moment, another is stopped for 90 s, and a fifth comes late. ARGUMENT_OF_VERIFY, such
# as candidate=cpu, goes into `with`. Ends with 0 when all is as it must be.
set -eu
cases=$1 rounds=$2 scratch=$3 plumb=$4 with=${5:-candidate=cpu}
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
fail() { echo "many.sh: $*"; exit 1; }
digest_of() { "$plumb" inspect "$1" --digest=values; }
ids_in() { find "$1/done" -name '*.h5' -printf '%i %f\n' | sort; }

"$plumb" fuzz --write models --count "$cases" >/dev/null
cat >plan.toml <<END
schema = "plumb-campaign/1"
[[job]]
kind = "verify"
cases = ["models"]
with = { ${with%%=*} = "${with#*=}" }
[devices]
use = ["llvmpipe*", "*"]
END
for shard in 1 2 3 4; do
  "$plumb" verify models "--$with" --shard "$shard/4" -o "$shard.h5" -q >/dev/null 2>&1 || [ $? -le 4 ] ||
    fail "share $shard"
done
"$plumb" merge 1.h5 2.h5 3.h5 4.h5 -o shares.h5
wanted=$(digest_of shares.h5)
# What drivers and files say may be worse than 0: what counts is that all of it is there, once.
gathered() {
  "$plumb" campaign gather "$1" -o "$1.h5" --exit-zero --force | tail -1
  "$plumb" campaign status "$1" | grep -q '^all is done$' || fail "$1: not all is done"
  [ -z "$(find "$1/making" "$1/claims" -type f)" ] || fail "$1: something was left"
  [ "$(digest_of "$1.h5")" = "$wanted" ] || fail "$1: other values"
}
work() { "$plumb" campaign run "$1" --share-device --threads 1 --quiet; }

"$plumb" campaign plan plan.toml one
work one
gathered one
"$plumb" campaign plan plan.toml four
for _ in 1 2 3 4; do work four & done
wait
gathered four

"$plumb" campaign plan plan.toml ranks
in_ranks() {
  mpirun --allow-run-as-root --oversubscribe -n 4 "$plumb" campaign run ranks --share-device --threads 1 --quiet
}
in_ranks &
mpi=$!
while [ "$(ids_in ranks | wc -l)" -lt $((cases / 3)) ]; do sleep 0.2; done 2>/dev/null
kill -KILL "$(find ranks/claims -type f -exec sed 's/^[0-9]* [^.]*\.\([0-9]*\)\..*/\1/' {} \; 2>/dev/null | head -1)"
wait $mpi && fail 'mpirun does not mind a rank that is killed'
ids_in ranks >before
in_ranks
ids_in ranks >after
[ "$(comm -12 before after | wc -l)" = "$(wc -l <before)" ] || fail 'a task was done again'
gathered ranks

for round in $(seq "$rounds"); do
  "$plumb" campaign plan plan.toml "round$round"
  pids=
  for _ in 1 2 3 4; do
    work "round$round" &
    pids="$pids $!"
  done
  # shellcheck disable=SC2086
  set -- $pids
  sleep "$(awk -v seed="$round" -v most="$((cases / 25 + 1))" 'BEGIN { srand(seed * 7919); print most * rand() }')"
  kill -STOP "$1" || true  # all may be done by then
  kill -KILL "$2" || true
  work "round$round" &
  late=$!
  sleep 90
  kill -CONT "$1" || true
  for pid in "$1" "$3" "$4" $late; do wait "$pid" || fail "round $round: a worker ended with $?"; done
  gathered "round$round"
done
echo "all is as it must be: $cases cases, $rounds rounds"
