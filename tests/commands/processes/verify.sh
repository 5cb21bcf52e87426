# Cases that processes of their own run: one that crashes or hangs costs itself, and nothing else changes.
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
cat >list.toml <<'END_OF_LIST'
schema = "plumb-cases/1"
[[case]]
model = "models/scores.json"
seed = 7
END_OF_LIST
cases="verify models list.toml --candidate cpu --seeds 2"

# The values, the verdicts and the text are those of one process.
# shellcheck disable=SC2086
plumb 0 $cases -o one.h5 --counts one.json
# shellcheck disable=SC2086
plumb 0 $cases --markdown one.md --html one.html -o paged.h5
plumb 0 judge paged.h5 --markdown judged.md
cmp one.md judged.md || fail 'a page lacks nodes of later seeds'
# shellcheck disable=SC2086
plumb 0 $cases --jobs 2 --markdown several.md --html several.html
says "^6 cases, "
says_not ': error'
cmp one.md several.md || fail '--jobs writes another page'
holds several.html '<html'
for jobs in 1 2; do
  # shellcheck disable=SC2086
  plumb 0 $cases -o several.h5 --jobs $jobs --counts several.json --json report.json --junit report.xml --shard 1/1
  says "^6 cases, "
  digest_of one.h5 =values >wanted
  digest_of several.h5 =values >found
  cmp wanted found || fail "--jobs $jobs gives other values"
  cmp one.json several.json || fail "--jobs $jobs counts in another way"
  [ "$(grep -c '"id": "models/' report.json)" -ge 6 ] || fail 'a run is not in the report'
  plumb 0 inspect several.h5 --check-schema
  plumb 0 judge several.h5
done

# What is recorded is gone on with.
echo '{' >models/dense.json
# shellcheck disable=SC2086
plumb 2 $cases -o mended.h5 --jobs 2
says 'dense\.json'
cp "$graphs/dense.json" models
# shellcheck disable=SC2086
plumb 0 $cases -o mended.h5 --jobs 2 --resume
says '^going on with mended\.h5: 4 runs recorded$'
digest_of mended.h5 =values >found
cmp wanted found || fail 'runs that were gone on with have other values'

# What is not the same ends the whole, whichever process finds that out.
cp mended.h5 kept.h5
# shellcheck disable=SC2086
plumb 2 $cases -o mended.h5 --jobs 2 --resume --policy "$source/tests/parity/policy/loose.toml"
warns 'mended\.h5: .* was judged by another policy, none; it is [0-9a-f]{12} now'
cmp mended.h5 kept.h5 || fail 'the file was touched'
[ ! -e mended.h5.part ] || fail 'an error was recorded of what is not gone on with'

# A candidate that ends the process that asks it: its case is an error, and the others are judged.
numpy_candidate
cat >ends.sh <<END
if grep -q '"product"' "\$1/graph.json" 2>/dev/null; then
  kill -KILL "\$(cut -d' ' -f4 "/proc/\$PPID/stat")"
  sleep 60
fi
exec $python $source/docs/example/numpy_candidate.py "\$1"
END
plumb 3 verify models --candidate "exec:sh $PWD/ends.sh" -o lost.h5 --json lost.json --jobs 1
says 'models/dense\.json: crashed its process, SIGKILL'
says '^models/scores\.json: passed '
holds lost.json '"verdict": "error"'
plumb 0 inspect lost.h5 --check-schema
plumb 3 judge lost.h5
says '^run 1: '
plumb 3 verify models --candidate "exec:sh $PWD/ends.sh" -o lost.h5 --json lost.json --jobs 1 --seeds 5
says 'models/dense\.json: skipped: 2 runs after it'
says ': 5 seeds: .*3 error'
says '^10 cases, '
holds lost.json 'skipped: a run before it crashed its process, SIGKILL'

# A process that crashes costs one seed: another one goes on with the next.
sed -i 's/^if .*/if rm once 2>\/dev\/null; then/' ends.sh
plumb 0 verify models --candidate "exec:sh $PWD/ends.sh" --seeds 3 -o whole.h5 --counts whole.json
values_of whole.h5 >wanted
touch once
plumb 3 verify models --candidate "exec:sh $PWD/ends.sh" --seeds 3 -o lost.h5 --counts lost.json --jobs 1
says 'crashed its process, SIGKILL'
says ': 3 seeds: 2 passed 1 error'
says '^6 cases, '
says_not 'skipped'
plumb 0 inspect lost.h5 --check-schema
plumb 0 verify models --candidate "exec:sh $PWD/ends.sh" --seeds 3 -o lost.h5 --counts lost.json --jobs 1 --resume
says '^going on with lost\.h5: 5 runs recorded$'
values_of lost.h5 >found
cmp wanted found || fail 'a crash changes other runs'
cmp whole.json lost.json || fail 'a crash changes what is counted'
cat >ends.sh <<END
exec sleep 60
END
plumb 3 verify models --candidate "exec:sh $PWD/ends.sh" --jobs 2 --case-timeout 3s --case dense
says 'took longer than --case-timeout 3s'

# Words that make no sense are refused.
for bad in 0 257 x -1 1.5; do plumb 2 verify models --candidate cpu "--jobs=$bad"; done
warns "--jobs is a number from 1 to 256, or auto, got '1\.5'"
plumb 2 verify models --candidate cpu --jobs 2 --case-timeout 5
warns "--case-timeout is a time with a unit such as 60s, 5m or 1h, got '5'"
plumb 2 verify models --candidate cpu --case-timeout 5s
warns 'requires --jobs'
plumb 2 verify models --jobs 3
warns '--jobs 3 wants 3 devices, and there is 1; --share-device lets them share'
plumb 2 verify models --candidate cpu --jobs 2 --list
warns '--list runs nothing: there are no cases for --jobs and --budget'

# A device that several processes have, and one for each of them.
plumb 0 verify models --jobs 2 --share-device
says 'times are those of a device that several processes shared'
plumb 0 verify models --jobs auto --fail-fast
says '^2 cases, '
plumb 0 verify models -o ours.h5
cp ours.h5 kept.h5
plumb 2 verify models --candidate cpu -o ours.h5 --jobs 2 --resume
warns 'ours\.h5: was recorded on another device'
cmp ours.h5 kept.h5 || fail 'the file was touched'
