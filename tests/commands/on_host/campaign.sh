# Many tasks, shared out among workers by a folder: planned, run by several of which some are killed, gathered.
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
cat >plan.toml <<'END'
schema = "plumb-campaign/1"
defaults = { timeout = "2m" }
[[job]]
kind = "verify"
cases = ["models/*.json"]
seeds = 3
seeds_per_task = 2
with = { candidate = "cpu", dtype = ["f32", "f16"] }
END
values_of() { digest_of "$1" =values; }
tasks_in() { find "$1/done" -name '*.h5' | wc -l; }

# A plan is tasks: a graph, a choice of flags, some of the seeds. Once more, and there are none that are new.
plumb 0 campaign plan plan.toml night
says '^night: 8 tasks, 8 new$'
holds night/tasks.jsonl '"flags":\["--candidate=cpu","--dtype=f16","--seed=3","--param-seed=1"\]'
plumb 0 campaign plan plan.toml night
says '^night: 8 tasks, 0 new$'
plumb 0 campaign status night
says '^verify +8 +0 +0 +0 +8$'
says '^expected end: not known yet$'
plumb 1 campaign gather night -o none.h5
warns '^missing: verify models/dense\.json --candidate=cpu --dtype=f16 --seed=1 --seeds=2 --param-seed=1$'
warns '^8 of 8 tasks are not done; exit code 1$'
[ ! -e none.h5 ] || fail 'a results file of nothing was written'

# One worker, then gather: what verify has in one run.
for dtype in f32 f16; do
  plumb 0 verify models --candidate cpu --seeds 3 --dtype $dtype -o $dtype.h5
done
plumb 0 merge f32.h5 f16.h5 -o whole.h5
values_of whole.h5 >wanted
plumb 0 campaign run night
warns '^8 tasks done; nothing is left$'
plumb 0 campaign gather night -o all.h5 --junit all.xml --html all.html --json all.json
says '^12 runs of 8 tasks$'
holds all.xml '<testsuite '
holds all.html '<html'
values_of all.h5 >found
cmp wanted found || fail 'a campaign gives other values than verify'
plumb 0 campaign run night
warns '^0 tasks done; nothing is left$'
plumb 0 campaign status night
says '^verify +8 +8 +0 +0 +0$'
says '^all is done$'

# A plan that grows adds tasks; another one is refused, and so is a graph that has changed.
sed 's/seeds = 3/seeds = 5/' plan.toml >grown.toml
plumb 2 campaign plan grown.toml night
warns "^plumb: night: is the folder of another campaign: 4 of its tasks, such as 'verify models/.* are none of grown"
cat plan.toml - >grown.toml <<'END'
[[job]]
kind = "verify"
cases = ["models/dense.json"]
with = { candidate = "cpu", fill = "exact" }
seeds = 2
counts = true
END
plumb 0 campaign plan grown.toml night
says '^night: 10 tasks, 2 new$'
plumb 0 campaign run night --quiet
warns '^2 tasks done; nothing is left$'
[ "$(find night/done -name '*.counts.json' | wc -l)" = 2 ] || fail 'counts are not kept'
python3 "$source/scripts/false_alarms.py" --counted night/done/*.counts.json >alarms.md || fail 'an alarm was counted'
holds alarms.md '^0 alarms in [1-9][0-9]* comparisons'
plumb 0 campaign plan plan.toml changed
cp models/dense.json dense.json
sed 's/"product"/"products"/' dense.json >models/dense.json
plumb 2 campaign run changed
warns 'verify models/dense.json .*: a file of it has changed since the campaign was planned$'
[ -z "$(find changed/claims changed/making -type f)" ] || fail 'a worker that ended with an error left something'
plumb 2 campaign plan plan.toml changed
warns 'or a file of theirs has changed'
cp dense.json models/dense.json

# What is damaged is put aside, and run again.
first=$(find night/done -name '*.h5' | sort | head -1)
head -c 3000 "$first" >"cut" && mv cut "$first"
plumb 1 campaign gather night -o damaged.h5
warns ': damaged: '
warns '^1 of 10 tasks is not done; exit code 1$'
[ -e "$first.bad" ] || fail 'the damaged file is gone'
plumb 0 campaign gather night -o partial.h5 --partial
warns '^1 of 10 tasks is not done$'
plumb 0 campaign run night --quiet
warns '^1 task done; nothing is left$'
plumb 0 campaign gather night -o whole_again.h5
says '^14 runs of 10 tasks$'

# Four workers, of which one after the other is killed or stopped: nothing is lost, and nothing is there twice.
plumb 0 campaign plan plan.toml killed
worker() {
  # shellcheck disable=SC2086
  $launched campaign run killed --lost-after 2s --threads 1 2>"worker$1.txt" >/dev/null </dev/null &
  eval "pid$1=\$!"
}
for one in 1 2 3 4; do worker $one; done
sleep 0.3
# shellcheck disable=SC2154  # worker() gives them
kill -KILL "$pid1"
# shellcheck disable=SC2154
kill -STOP "$pid2"
worker 5
sleep 3
kill -CONT "$pid2"
# shellcheck disable=SC2154
for pid in "$pid2" "$pid3" "$pid4" "$pid5"; do
  wait "$pid" || fail "a worker ended with $?"
done
wait "$pid1"
[ "$(tasks_in killed)" = 8 ] || fail "$(tasks_in killed) tasks are done"
[ -z "$(ls killed/making)" ] || fail "something was left: $(ls killed/making)"
plumb 0 campaign gather killed -o killed.h5
says '^12 runs of 8 tasks$'
values_of killed.h5 >found
cmp wanted found || fail 'workers that were killed change values'

# A task that crashes is tried by three workers, or three times where there is one; then it is an error, and all others
# are done. The device is not to blame where one task alone fails.
cat >crash.toml <<'END'
schema = "plumb-campaign/1"
[[job]]
kind = "verify"
cases = ["models"]
with = { candidate = "cpu" }
[[job]]
kind = "verify"
cases = ["models/scores.json"]
with = { candidate = "cpu", plant = "crash@p" }
END
plumb 0 campaign plan crash.toml crashed
plumb 0 campaign run crashed
warns 'plant=crash@p --seed=1: its device failed, or its process crashed \(attempt 3 of 3\)$'
warns '^2 tasks done, 3 failed; nothing is left$'
plumb 3 campaign gather crashed -o crashed.h5
says '^3 runs of 3 tasks$'
plumb 0 campaign status crashed
says '^all is done$'

# A task that takes longer than it may has failed.
cat >late.toml <<'END'
schema = "plumb-campaign/1"
[[job]]
kind = "fuzz"
count = 1000000
timeout = "1s"
retries = 0
with = { single = true, op = "softmax", candidate = "cpu" }
END
plumb 0 campaign plan late.toml late
plumb 0 campaign run late
warns ': took longer than 1 s \(attempt 1 of 1\)$'
plumb 3 campaign gather late -o late.h5
[ -z "$(ls late/making)" ] || fail "something was left: $(ls late/making)"

# SIGTERM, SIGUSR1 and --until: the task at hand is given back, and the worker ends well.
cat >hang.toml <<'END'
schema = "plumb-campaign/1"
[[job]]
kind = "verify"
cases = ["models/scores.json"]
with = { candidate = "cpu", plant = "hang=60@p" }
END
plumb 0 campaign plan hang.toml hung
for signal in TERM USR1; do
  # shellcheck disable=SC2086
  $launched campaign run hung 2>hung.txt >/dev/null </dev/null &
  pid=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    if [ -n "$(ls hung/claims 2>/dev/null)" ]; then break; fi
    sleep 0.2
  done
  sleep 0.5
  plumb 0 campaign status hung
  says '^running: verify models/scores\.json .*plant=hang=60@p --seed=1 \(.*\)$'
  kill -$signal $pid
  wait $pid || fail "SIG$signal ends a worker with $?"
  holds hung.txt 'given back$'
  holds hung.txt '^0 tasks done; told to stop, and others may go on$'
  [ -z "$(find hung/claims hung/making hung/failed -type f)" ] || fail "SIG$signal leaves something"
done
# As env starts it, since a shell has what it puts in the background ignore SIGINT.
# shellcheck disable=SC2086
env --default-signal=INT $launched campaign run hung 2>hung.txt >/dev/null </dev/null &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  if [ -n "$(ls hung/making)" ]; then break; fi
  sleep 0.2
done
kill -INT $pid
wait $pid
[ $? = 130 ] || fail 'SIGINT does not end a worker by that signal'
[ -z "$(find hung/claims hung/making hung/failed -type f)" ] || fail 'SIGINT leaves something'
plumb 0 campaign run hung --until 1s
warns '^0 tasks done; told to stop'

# Refusals say where, and what was perhaps meant.
plumb 2 campaign run models
warns '^plumb: models: is no folder of a campaign: it has no tasks\.jsonl'
plumb 2 campaign plan plan.toml models
warns '^plumb: models: is not empty, and no folder of a campaign$'
refused() {
  printf 'schema = "plumb-campaign/1"\n[[job]]\nkind = "%s"\n%b\n' "$1" "$2" >bad.toml
  plumb 2 campaign plan bad.toml refused
  warns "^plumb: bad\.toml:$3"
  [ ! -e refused/tasks.jsonl ] || fail 'a plan that is refused left tasks'
}
cases='cases = ["models"]'
refused verfy "$cases" "3: there is no kind 'verfy' of a job; did you mean verify"
refused verify '' '2: this job has no cases$'
refused verify "$cases\nsed = 3" "5: there is no key 'sed' of a job of kind verify; did you mean seed"
refused power "$cases\nseeds = 3" "5: there is no key 'seeds' of a job of kind power"
refused verify "$cases\nseeds = 0" '5: seeds must be from 1 to 1000000, found 0$'
refused verify "$cases\ntimeout = \"20\"" '5: timeout is a time with a unit'
refused verify "$cases\nwith = { dtpye = \"f16\" }" "2: with: plumb verify has no option '--dtpye'; did you"
refused verify "$cases\nwith = { dtype = \"f61\" }" '2: --dtype: '
refused verify "$cases\nwith = { seed = 3 }" "5: with: 'seed' is not for a job to say so"
refused verify 'cases = ["model/*"]' "2: no file matches 'model/\*'$"
refused verify 'cases = ["missing.json"]' '2: missing.json: cannot be read'
refused fuzz '' '2: this job has no count of cases to draw$'
echo 'schema = "plumb-campaign/2"' >bad.toml
plumb 2 campaign plan bad.toml refused
warns '^plumb: bad\.toml: wanted schema = "plumb-campaign/1", as a campaign has it'
sed -i '3s/f32/f64/; 3s/f16/f64/' changed/tasks.jsonl
plumb 2 campaign status changed
warns '^plumb: changed/tasks.jsonl:3: its id is not that of what it says$'
plumb 2 campaign
plumb 2 campaign gather night -o models/dense.json
warns 'dense\.json'
OMPI_COMM_WORLD_LOCAL_RANK=first plumb 2 campaign run crashed --until 5
warns "^plumb: --until is a time with a unit"
