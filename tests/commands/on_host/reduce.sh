# A graph that fails is made smaller until nothing can go, in every way that a reduction begins with; here on the CPU
# executor, with faults planted in it.
cpu=--candidate=cpu
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant dropped_term@scores --keep dtype,kernel -o found
says 'scores\.json: proved at .scores. \(matmul\), dtype=f32, kernel=[a-z0-9_.]+ in 3 of 3 runs$'
says '^found: confirmed in 3 of 3 runs: 1 node$'
holds found/report.md '^\| repro.json \| 1 \| [0-9] \| 2 \|$'
holds found/repro.json '"op": "matmul"'
if grep -q softmax found/repro.json; then fail "a node is left that has no part in it"; fi
PLUMB=$(echo "$launched" | sed 's/.* //')
export PLUMB
status=0
sh found/repro.sh >repro.txt || status=$?
[ "$status" -eq 1 ] || fail "repro.sh ended with $status, wanted 1"
grep -q '^scores  *matmul .* failed$' repro.txt || fail "repro.sh does not fail in the same node"

# The first of two faults stays. The other one's node has gone, and its fault with it.
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant nan@p --plant scaled@scores -o two --budget 2m
says ' at .scores. \(matmul\) in 3 of 3 runs$'
holds two/repro.sh 'verify .* --plant scaled@scores '
if grep -q nan two/repro.sh; then fail "a fault is planted in a node that is not there"; fi
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant nan@p --plant scaled@scores --node p -o node
says 'nan at .p. \(softmax\) in 3 of 3 runs$'

# A node that crashes or hangs takes a process of its own with it.
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant crash@p -o crash
says 'crash:SIGSEGV in 3 of 3 runs$'
holds crash/report.md '^\| repro.json \| 1 \| '
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant hang=60@p --case-timeout 0.2s --budget 1s -o hang
says 'hang in 3 of 3 runs$'
holds hang/repro.sh 'case-timeout 0\.2s'

# Somebody else decides: any graph that has a softmax.
printf '#!/bin/sh\ngrep -q softmax "$1"\n' >check.sh
plumb 0 reduce "$graphs/scores.json" --check 'sh check.sh' -o checked
says 'check in 3 of 3 runs$'
holds checked/repro.sh '^exec sh check\.sh '
if grep -q matmul checked/repro.json; then fail "--check would have let the product go"; fi

plumb 1 reduce "$graphs/scores.json" "$cpu" -o sound
says 'scores\.json: nothing to reduce: passed 3 of 3$'
[ ! -e sound ] || fail "a folder is left of nothing"
plumb 2 reduce "$graphs/scores.json" "$cpu" -o found
warns '^plumb: -o found: the folder is not empty; --force '
plumb 0 reduce "$graphs/scores.json" "$cpu" --plant nan@p --fill adversarial:wave \
  --repeat 2 --metamorphic --force -o found
holds found/report.md '^# nan at .p. \(softmax\)$'
plumb 2 reduce "$graphs/scores.json" "$cpu" --budget 60 -o none
warns '^plumb: --budget is a time with a unit such as 60s, 5m or 1h, got .60.$'
plumb 2 reduce "$graphs/scores.json" "$cpu" --node q -o none
warns "there is no node 'q'"
plumb 2 reduce "$graphs/scores.json" "$cpu" --plant nan@q -o none
warns ": no node's label matches$"
plumb 2 reduce "$graphs/scores.json" "$cpu" --keep colour -o none
plumb 2 reduce "$graphs/scores.json" --candidate file:none.npz -o none
[ ! -e none ] || fail "a folder is left of an error"

# Interrupted, it leaves no file and no process.
$launched reduce "$graphs/scores.json" "$cpu" --plant hang=60@p --case-timeout 30s -o cut >/dev/null 2>&1 &
reducing=$!
children=
for fifth in $(seq 300); do  # a minute: machines may be busy, and sanitizers slow
  children=$(cat /proc/$reducing/task/*/children)
  [ -z "$children" ] || break
  sleep 0.2
done
kill -TERM $reducing  # a shell has its children ignore SIGINT
status=0
wait $reducing || status=$?
[ "$status" -eq 143 ] || fail "interrupted, it ended with $status, wanted 143"
[ -n "$children" ] || fail "it ran nothing in a process of its own"
for tenth in 1 2 3 4 5 6 7 8 9 10; do  # it is killed when it has had time to end
  left=
  for child in $children; do if kill -0 "$child" 2>kill.txt; then left="$left $child"; fi; done
  [ -n "$left" ] || break
  sleep 0.5
done
[ -z "$left" ] || fail "$tenth half seconds later there is still process$left of what was interrupted"
[ ! -e cut ] && [ ! -e cut.part ] || fail "a folder is left of what was interrupted"
