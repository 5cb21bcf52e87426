# Runs that were cut off, gone on with until they are what a run is that nothing stopped (PLUMB_KILLS: how many kills).
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
kills=${PLUMB_KILLS:-3}
unset PLUMB_KILLS  # which nothing of plumb's own reads
program=${launched##* }
seeds=$((4 * kills)) runs=$((8 * kills))
cases="verify models --candidate cpu --seeds $seeds --tensors all"

runs_in() { grep -c '^models/.* | seed [0-9]' "$1"; }

# shellcheck disable=SC2086
plumb 0 $cases -o whole.h5 --counts whole.json
digest_of whole.h5 =values >wanted

# Each time it is killed with another part of the work said to be done.
kill=1
while [ "$kill" -le "$kills" ]; do
  # shellcheck disable=SC2086
  "$program" $cases -v -o cut.h5 --resume >killed 2>&1 </dev/null &
  process=$!
  until [ "$(runs_in killed)" -ge $((runs * kill / (kills + 1))) ]; do
    kill -0 $process 2>/dev/null || break
  done
  kill -KILL $process 2>/dev/null
  wait $process
  if [ -e cut.h5 ]; then break; fi  # on a busy machine the last kills may come too late
  [ -e cut.h5.part ] || fail "kill $kill left nothing: $(cat killed)"
  plumb 0 inspect cut.h5.part --check-schema
  kill=$((kill + 1))
done
# shellcheck disable=SC2086
plumb 0 $cases -o cut.h5 --resume --counts resumed.json --json resumed_report.json
says '^going on with cut\.h5(\.part)?: [1-9][0-9]* runs? recorded$'
says "^$runs cases, "
digest_of cut.h5 =values >found
cmp wanted found || fail 'runs that were gone on with have other values'
cmp whole.json resumed.json || fail 'runs that were gone on with are counted in another way'
[ "$(grep -c '"id": "models/' resumed_report.json)" -ge "$runs" ] || fail 'a run is not in the report'
plumb 0 inspect cut.h5 --check-schema
plumb 0 judge cut.h5
for file in cut.h5.*; do
  [ ! -e "$file" ] || fail "$file was left"
done

# Nothing is left to do, and nothing is done.
# shellcheck disable=SC2086
plumb 0 $cases -o cut.h5 --resume
says "^going on with cut\.h5: $runs runs recorded\$"
digest_of cut.h5 =values >found
cmp wanted found || fail 'a finished run was made again'

# A run that ended in an error is made again.
cp models/dense.json dense.json
echo '{' >models/dense.json
plumb 2 verify models --candidate cpu -o mended.h5
cp dense.json models/dense.json
plumb 0 verify models --candidate cpu -o mended.h5 --resume
says '^going on with mended\.h5: 1 run recorded$'
plumb 0 verify models --candidate cpu -o at_once.h5
digest_of mended.h5 =values >found
digest_of at_once.h5 =values >wanted
cmp wanted found || fail 'a run that was made again has other values'

# What is not the same is not gone on with.
cp mended.h5 kept.h5
plumb 2 verify models --candidate cpu -o mended.h5 --resume --policy "$source/tests/parity/policy/loose.toml"
warns 'mended\.h5: models/dense\.json.* was judged by another policy, none; it is [0-9a-f]{12} now'
cmp mended.h5 kept.h5 || fail 'the file was touched'
for other in '--filter=^scores$' --op=softmax --metamorphic --repeat=2 --no-plain-run --min-verified=0.1,0.1; do
  for jobs in '' --jobs=1; do
    # shellcheck disable=SC2086
    plumb 2 verify models --candidate cpu -o mended.h5 --resume "$other" $jobs
    warns "mended\.h5: was recorded with another ${other%%=*}, .*; it is .* now, and --resume goes on with the same one"
    cmp mended.h5 kept.h5 || fail 'the file was touched'
  done
done
plumb 2 verify models --candidate cpu --resume
warns '--resume goes on with what -o was writing, and -o is not said'
plumb 2 verify models --candidate cpu --candidate other=cpu -o mended.h5 --resume
warns '--resume goes on with runs of one candidate, and 2 are judged'
echo text >notes.h5
plumb 2 verify models --candidate cpu -o notes.h5 --resume
warns 'notes\.h5 exists and is not replaced'
plumb 0 verify models --candidate cpu -o new.h5 --resume
says_not '^going on with'
