# Workers that mpirun starts, of which one is killed; and those of a Slurm array. mpirun then ends all; the same line
# again goes on.
command -v mpirun >/dev/null || { echo "no mpirun (Debian: openmpi-bin)"; exit 77; }
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
cat >plan.toml <<'END'
schema = "plumb-campaign/1"
[[job]]
kind = "verify"
cases = ["models/*.json"]
seeds = 6
seeds_per_task = 1
with = { candidate = "cpu" }
END
# shellcheck disable=SC2086,SC2154  # run.sh gives it
in_ranks() { mpirun --allow-run-as-root --oversubscribe -n 3 $launched campaign run "$1" --lost-after 3s --threads 1; }
plumb 0 verify models --candidate cpu --seeds 6 -o whole.h5
digest_of whole.h5 =values >wanted

plumb 0 campaign plan plan.toml night
says '^night: 12 tasks, 12 new$'
in_ranks night >ranks.txt 2>&1 &
mpi=$!
while [ "$(find night/done -name '*.h5' 2>/dev/null | wc -l)" -lt 3 ]; do sleep 0.05; done
victim=$(find night/claims -type f -exec sed 's/^[0-9]* [^.]*\.\([0-9]*\)\..*/\1/' {} \; 2>/dev/null | head -1)
kill -KILL "$victim"
if wait $mpi; then fail 'mpirun does not mind that a rank was killed'; fi
cat ranks.txt
find night/done -name '*.h5' -printf '%i %f\n' | sort >before
in_ranks night || fail "the same line again ends with $?"
find night/done -name '*.h5' -printf '%i %f\n' | sort >after
[ "$(comm -12 before after | wc -l)" = "$(wc -l <before)" ] || fail 'a task that was done was done again'
[ -z "$(ls night/making)" ] || fail "something was left: $(ls night/making)"
plumb 0 campaign gather night -o all.h5
says '^12 runs of 12 tasks$'
digest_of all.h5 =values >found
cmp wanted found || fail 'ranks give other values than verify'

plumb 0 campaign plan plan.toml array
for task in 0 1 2 3; do
  # shellcheck disable=SC2086
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_LOCALID=0 \
    $launched campaign run array --threads 1 --quiet 2>"array$task.txt" &
done
wait
cat array?.txt
[ "$(sed -n 's/^\([0-9]*\) tasks\{0,1\} done; nothing is left$/\1/p' array?.txt | paste -sd+ | bc)" = 12 ] ||
  fail 'the workers of an array did not do each task once'
plumb 0 campaign gather array -o array.h5
digest_of array.h5 =values >found
cmp wanted found || fail 'workers of an array give other values than verify'
plumb 0 campaign status array
says '^all is done$'
plumb 0 campaign run array
says_not .
