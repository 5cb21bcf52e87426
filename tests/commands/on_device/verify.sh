plumb 0 verify "$graphs/dense.json" "$graphs/scores.json" -o out.h5 --json out.json
says '^scores +matmul +f32 .* gpu .* passed$'
says '^y +binary +f32 +0 +0 .* gpu .* passed$'
says 'dense\.json: passed \| 2 nodes: 1 passed 1 skipped \| max ratio 0 \| seed 1 '
says '^2 cases, 4 nodes: 2 passed$'
warns '^results: out\.h5$'
holds out.json '"verdict": "passed"'
plumb 0 inspect out.h5 --check-schema
says '^out\.h5 keeps to plumb\.results '
plumb 0 verify "$source/fixtures/must_fail/wrong_in_the_middle.json"
says '^layer0/square +unary .* failed$'
says '^note: failed, as the file says that it must$'
says '^ +repro: plumb verify .*wrong_in_the_middle\.json'
plumb 2 verify missing.json
warns '^error: missing\.json: cannot be opened'
plumb 2 verify "$graphs/dense.json" --policy missing.toml
warns missing.toml
plumb 2 verify "$graphs/dense.json" --profile missing.toml
warns missing.toml
plumb 2 verify "$graphs/dense.json" --precision missing.toml
warns_of "--precision is f16acc32, f16acc16, bf16acc32, q8acc32 or the file of a plan"
warns_of "and there is no file 'missing.toml'"
plumb 2 verify "$graphs/dense.json" --precision f16acc3
warns_of "; did you mean f16acc32?"
plumb 0 verify "$graphs/scores.json" --fill adversarial:wave -o wave.h5
says 'scores\.json: [a-z]+ \| .* \| seed 1 '
plumb 0 inspect wave.h5 --check-schema
plumb 2 verify "$graphs/scores.json" --fill adversarial:waev
warns_of "no kind is called 'waev', did you mean 'wave'? There are stagnating,"
plumb 2 verify "$graphs/scores.json" --fill advers
warns_of "--fill is graph, exact, adversarial or adversarial:NAME, got 'advers'"
# A total is against the graph as it was, before its weights were rounded; the converted one stands beside it.
plumb 0 verify "$graphs/f16_weights_underflow.json" --dtype f16 -o half.h5 --json half.json
says '^total of p: rel_l2 1\.57e-01 against the graph as it was, rel_l2 2\.2[0-9]e-02 against it in f16$'
printf 'schema = "plumb-policy/1"\n[output]\n"p" = { rel_l2 = 3e-2 }\n' >near.toml
plumb 1 verify "$graphs/f16_weights_underflow.json" --dtype f16 --policy near.toml
says 'rel_l2 .*0\.1568'
plumb 1 judge half.h5 --policy near.toml
says 'rel_l2 .*0\.1568'
plumb 0 inspect half.h5 --check-schema
# One command settles what a model leaves open by what it is given, and a repro line repeats it.
rates=$source/fixtures/onnx/two_rates.onnx
cat >feeds.json <<'JSON'
{
  "format": "plumb.graph/1",
  "params": {
    "a": {"type": "f32[2, 4]", "values": [1, 2, 3, 4, 5, 6, 7, 8]},
    "s": {"type": "f32[2, 4]", "values": [2, 4, 6, 8, 6, 8, 10, 12]},
    "rate": {"type": "i64[]", "values": [16000]},
    "extents": {"type": "i64[2]", "values": [4, -1]}
  },
  "nodes": [
    {"label": "x", "op": "reshape", "inputs": ["a"], "shape": [2, 4]},
    {"label": "y", "op": "reshape", "inputs": ["a"], "shape": [4, 2]},
    {"label": "same", "op": "reshape", "inputs": ["s"], "shape": [2, 4]},
    {"label": "sr", "op": "reshape", "inputs": ["rate"], "shape": []},
    {"label": "shape", "op": "reshape", "inputs": ["extents"], "shape": [2]}
  ],
  "results": ["x", "sr", "shape"]
}
JSON
plumb 0 run --on cpu feeds.json -o in.npz
sed -i 's/"results": .*/"results": ["y"]/' feeds.json
plumb 0 run --on cpu feeds.json -o wrong.npz
sed -i 's/"results": .*/"results": ["same"]/' feeds.json
plumb 0 run --on cpu feeds.json -o same.npz
plumb 0 run --on cpu "$rates" --load-inputs in.npz -o out.npz
says '^y: f32\[4, 2\] \[2, 4, 6, 8, 6, 8, ...\]$'
plumb 0 verify "$rates" --load-inputs in.npz --expected out.npz
says "^expected 'y': passed"
warns '^3 inputs from in\.npz, 0 inputs generated$'
# The model's name for an inner tensor goes, whatever the graph calls it.
plumb 0 verify "$rates" --load-inputs in.npz --expected same.npz
says "^expected 'sum': passed"
says '^note: nothing is expected of y, something of 0 of 1 results$'
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >empty.npz
plumb 2 verify "$rates" --load-inputs in.npz --expected empty.npz
warns 'error: empty\.npz: has no tensor, so that it expects nothing$'
plumb 1 verify "$rates" --load-inputs in.npz --expected wrong.npz --rtol 0 --json out.json
holds out.json 'two_rates\.onnx --seed 1 --load-inputs in\.npz --expected wrong\.npz --rtol 0[ "]'
plumb 2 verify "$rates" --load-inputs in.npz --input sr=16000
warns "input 'sr' is given by in\.npz, but by --data or --input, too"
plumb 2 verify "$rates" --load-inputs in.npz --shape samples=5
warns "axis 1 is 'samples', given with 4, but 5 by --shape samples=5"
# As JUnit XML: what fails, what cannot be read, what must fail, and names that would break it.
cat >hostile.json <<'END'
{
  "format": "plumb.graph/1",
  "why": "names are what somebody else wrote",
  "inputs": {"x": {"type": "f32[8, 64]"}},
  "nodes": [
    {"label": "a</script>\"'&::error::%0A]]>", "op": "softmax", "inputs": ["x"]}
  ],
  "results": ["a</script>\"'&::error::%0A]]>"]
}
END
cat >strict.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "nothing_may_be_off"
match = { op = "softmax" }
require = { max_abs = 0.0 }
END
plumb 2 verify "$graphs/scores.json" "$graphs/scores.json" hostile.json missing.json \
  "$source/fixtures/must_fail/wrong_in_the_middle.json" --policy strict.toml --junit out.xml --json junit.json
python3 "$source/tests/commands/junit.py" out.xml junit.json || fail "JUnit XML and JSON differ"
holds out.xml '<testcase [^>]*name="a&lt;/script&gt;&quot;'"'"'&amp;::error::%0A\]\]&gt;"'
holds out.xml '<failure type="failed" message="max_abs is '
holds out.xml '<error type="error" message="missing\.json: cannot be opened'
plumb 0 verify "$graphs/scores.json" --seeds 2 --junit out.xml --json junit.json
python3 "$source/tests/commands/junit.py" out.xml junit.json || fail "JUnit XML and JSON differ"
plumb 2 verify "$graphs/scores.json" --junit - --json -
warns_of "only one of --json, --junit, --counts, --markdown and --html can be written to stdout"
plumb 0 verify "$graphs/scores.json" --seeds 3 --fill adversarial --counts counts.json -q
holds counts.json '"format":"plumb.counts/1"'
holds counts.json '"op":"softmax","dtype":"f32","kernel":"[^"]*","tile":"[^"]*","fill":"[a-z_]*".*"compared":1,'
plumb 2 verify "$graphs/scores.json" --junit same --json same
warns_of "same: is being written"
# In GitHub Actions: annotations behind all that people read, a summary, and names of nodes that are no commands.
cat >command.json <<'JSON'
{
  "format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[8, 64]"}},
  "nodes": [
    {"label": "::error::a,b", "op": "softmax", "inputs": ["x"]}
  ],
  "results": ["::error::a,b"]
}
JSON
GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
echo 'what others wrote' >summary.md
plumb 1 verify command.json --policy strict.toml --github
says '^::stop-commands::plumb-[0-9a-f]{32}$'
says '^::plumb-[0-9a-f]{32}::$'
says '^::error file=command\.json,line=5,title=softmax failed%3A %3A%3Aerror%3A%3Aa%2Cb::max_abs is .*%0Arepro: plumb '
sed -n '/^::plumb-/,$p' stdout | sed 1d >behind
[ "$(grep -c '^::error ' behind)" -eq 1 ] || fail "not one annotation"
[ "$(wc -l <behind)" -eq 1 ] || fail "more than annotations behind the commands"
holds summary.md '^what others wrote$'
holds summary.md '^\| failed \| 1 \|$'
holds summary.md "^    plumb verify command\.json .*--policy strict\.toml"
# With a report on stdout there is nothing else.
plumb 1 verify command.json --policy strict.toml --github --json -
says_not '^::'
warns '^::error file=command\.json,line=5,'
# A summary that cannot be written is no failure.
GITHUB_STEP_SUMMARY=$PWD/no/such/folder
plumb 0 verify "$graphs/dense.json" --github
warns '^warning: .*no/such/folder: the summary cannot be written$'
says_not '^::(error|warning) '
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
# What ends a command before it is done is an annotation, too.
plumb 2 verify "$graphs/dense.json" --policy missing.toml --github
says '^::plumb-[0-9a-f]{32}::$'
says '^::error title=plumb::.*missing\.toml'
plumb 2 verify "$graphs/dense.json" --seed 1e3
warns '^--seed: wanted a whole number, found 1e3$'
# Times of a first run are marked, those of a later one are not.
plumb 0 verify "$graphs/scores.json"
says '^node .* place +1st us  verdict$'
plumb 0 verify "$graphs/scores.json" --repeat 2
says '^node .* place +us  verdict$'
# The programs of docs/results.md run, and name nodes by their labels.
plumb 0 verify "$graphs/scores.json" -q --tensors all -o out.h5
awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/results.md" >of_docs.py
for python in /usr/bin/python3 python3; do
  "$python" -c 'import h5py' 2>/dev/null || continue
  "$python" of_docs.py >printed || fail "a program of docs/results.md does not run"
  grep -q '^scores\.json scores [0-9]' printed || fail "the first program of docs/results.md names no label"
  grep -q '^scores ([0-9]*, [0-9]*) [0-9]' printed || fail "the second program of docs/results.md names no label"
  break
done
# A graph that cannot be read is said once, however many seeds it was to have.
plumb 2 verify missing.json --seeds 3
says '^1 case, 0 nodes: 1 error$'
# Where --filter chooses nothing of one graph of several, that one was left out as asked, but was not verified.
plumb 0 verify "$graphs/scores.json" "$graphs/dense.json" --filter '^p$' --strict
says '^2 cases, [0-9]+ nodes: 1 passed 1 skipped$'
plumb 4 verify "$graphs/scores.json" "$graphs/dense.json" --filter '^p$' --require-verified
warns '^--require-verified: cases not verified: .*dense\.json \(skipped\); exit code 4$'
for demand in --strict --require-verified; do
  plumb 2 verify "$graphs/scores.json" "$graphs/dense.json" --filter '^nothing$' $demand
  warns_of "no node matches --filter '^nothing$'"
done

# By every kernel and tile that a plan passes over, with a table of which were judged.
plumb 0 verify "$graphs/scores.json" --each-kernel --lifetimes --counts counts.json --junit each.xml -o each.h5
says '^op +dtype +kernel +tile +compared +alarms +mistrusted +ratio$'
says '^matmul +f32 +tiled +32x32x16 '
says '^matmul +f32 +tiled +64x64x16 '
says 'by other kernels: --set alternative=1$'
holds counts.json '"tile":"64x64x16"'
holds each.xml 'name="scores alternative=1 set=lifetimes:true"'
plumb 0 judge each.h5
says '^[0-9]+ runs: '
# The line that repeats a case by other kernels gives these.
plumb 0 verify "$graphs/scores.json" --set alternative=1 -v
says 'passed over by --set alternative=1|asked for as an alternative'
plumb 0 verify "$graphs/scores.json" --set alternative=1000
warns '^note: .*scores\.json: no node has another kernel or tile by --set alternative=1000$'
plumb 2 verify "$graphs/scores.json" --set alternative=-1
warns 'option alternative must be a whole number of 0 or more'

# Which run it was: what is off its default is in the id and in the key, wherever it was said, and what is not is in
# neither. The command that repeats a run says the same again in an environment that says nothing.
cat >x.json <<'JSON'
{
  "format": "plumb.graph/1",
  "inputs": {"a": {"type": "f32[8, 64]"}},
  "nodes": [{"label": "x", "op": "reshape", "inputs": ["a"], "shape": [8, 64]}],
  "results": ["x"]
}
JSON
plumb 0 run --on cpu x.json --seed 9 -o x.npz
n=0
named() {
  n=$((n + 1))
  plumb 0 verify "$graphs/scores.json" -q --json "named$n.json" "$@"
}
named -o named.h5
named
named --no-fuse
named --set regions=false
named --param-seed 5
named --profile "$source/docs/measurements/h200_profile.toml"
named --precision f16acc32
named --load-inputs x.npz -o fed.h5
PLUMB_TILE=32x32x16 PLUMB_ALTERNATIVE=1
export PLUMB_TILE
named
unset PLUMB_TILE
export PLUMB_ALTERNATIVE
named
unset PLUMB_ALTERNATIVE
python3 "$source/tests/commands/names.py" 9 named*.json || fail "runs are not told apart"
holds named9.json '"id": ".*scores\.json set=tile:32x32x16"'
holds named9.json '"repro": "plumb verify .*scores\.json --seed 1 --set tile=32x32x16"'
holds named10.json '"repro": "plumb verify .*scores\.json --seed 1 --set alternative=1"'
plumb 0 inspect fed.h5 --check-schema
plumb 0 inspect fed.h5 --node scores
says '^run 0 of 1 with it: .*, seed 1: passed; verified 100 % of FLOPs, [0-9.]+ % of elements$'
says '^  local, judged [0-9]+ elements; largest error '
says '^  operands      '
plumb 2 inspect fed.h5 --node scoers
warns "no run has a node 'scoers'; did you mean scores"
for report in named8 named9; do
  # shellcheck disable=SC2086
  python3 "$source/tests/commands/repeat.py" "$report.json" $launched || fail "$report is not repeated"
done
plumb 1 verify "$rates" --load-inputs in.npz --expected wrong.npz --rtol 0 --json given.json -q
# shellcheck disable=SC2086
python3 "$source/tests/commands/repeat.py" given.json $launched || fail "given numbers are not repeated"
plumb 0 verify "$rates" --input sr=16000 --input 'shape=[4,-1]' --shape samples=4 --shape batch=2 --json named.json -q
# shellcheck disable=SC2086
python3 "$source/tests/commands/repeat.py" named.json $launched || fail "extents and values are not repeated"
data=$source/fixtures/networks/convnet
plumb 0 verify "$data/model.onnx" --data "$data/test_data_set_0" --json data.json -q
# shellcheck disable=SC2086
python3 "$source/tests/commands/repeat.py" data.json $launched || fail "a folder of data is not repeated"

# A budget of a result that fails: all of its limits are told, and nobody is guilty whose own error is within them.
cat >budget.toml <<'END'
schema = "plumb-policy/1"

[output]
"p" = { rel_l2 = 1e-9, max_abs = 1e-9, snr_db = ">= 200" }
END
plumb 1 verify "$graphs/scores.json" --policy budget.toml
says '^    the total of p is beyond \[output\]'
says 'rel_l2 is [0-9.e-]+, at most 1e-09 is required; snr_db is [0-9.]+, at least 200 is required'
says '^the total of p is beyond \[output\]; most of it comes from scores \([0-9]+ %\)$'
says_not 'first guilty'
# A policy with a word that matches nothing is an error.
sed 's/softmax/softmaks/' strict.toml >words.toml
plumb 2 verify "$graphs/scores.json" --policy words.toml
warns "words\.toml:5: match\.op: no op is called 'softmaks'; did you mean softmax\?$"

# One word an option: none takes the file that stands behind it.
plumb 0 verify --set alternative=1 --set regions=false "$graphs/scores.json" -q
says '^1 case, 2 nodes: 1 passed$'
plumb 0 verify --input 'shape=[4,-1]' --shape batch=2 --shape samples=4 "$rates" --input sr=16000 -q
says '^1 case, [0-9]+ nodes: 1 passed$'

# Given inputs are kept once, or their hash alone; params are left to the file that is named with its hash.
plumb 0 verify "$graphs/scores.json" --load-inputs x.npz --seeds 3 -q -o with.h5
plumb 0 verify "$graphs/scores.json" --load-inputs x.npz --seeds 3 -q -o without.h5 --no-inputs
h5dump -H -d /inputs/2/x with.h5 | grep -q 'SIMPLE { ( 8, 64 )' || fail "with.h5 does not keep what x was given"
h5dump -H -g /inputs/2/x without.h5 | grep -q 'ATTRIBUTE "sha256"' || fail "without.h5 does not keep the hash of x"
for kept in with.h5 without.h5; do
  plumb 0 inspect "$kept" --check-schema
  [ "$(h5ls "$kept/params" | wc -l)" -eq 1 ] || fail "$kept does not keep params once"
  h5ls -rv "$kept/params" | grep -q 'Attribute: *file_sha256' || fail "$kept does not name the graph's file"
done

# Numbers of a graph file that would wrap, and a text that nobody would ask for, are refused.
sed 's/"values": \[1, 2, 3, 4, 5, 6\]/"fill": {"distribution": "normal"}, "seed": -1/' "$graphs/dense.json" >wraps.json
plumb 2 verify wraps.json
warns "wraps\.json: input 'x': seed must be 0 or more, got -1"
sed 's/^  "why"/  "expect_error": "x", "why"/' "$graphs/dense.json" >unasked.json
plumb 2 verify unasked.json
warns 'unasked\.json: expect_error: goes with "must": "fail" or "refuse" alone'

# A watched run keeps what it judges: there is no operand that a result is written over, as in the plain run.
plumb 0 verify "$graphs/cache.json"
says '^put +tensor_scatter .* passed$'
says '^double .* passed$'
says '^over +tensor_scatter .* passed$'
says '^beside +tensor_scatter .* passed$'
