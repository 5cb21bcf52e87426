# Ten models of both formats, each with its own shapes, numbers and expected results, in one run by one list.
mkdir -p ci/models
cp "$graphs/scores.json" "$graphs/dense.json" ci/models
cp "$source/fixtures/onnx/two_rates.onnx" "$source/fixtures/onnx/encoder_in_primitives.onnx" ci
cat >ci/two.toml <<'END'
schema = "plumb-policy/1"
[output]
p = { max_abs = 1e-3 }
END
for batch in 1 2 3; do
  plumb 0 run ci/encoder_in_primitives.onnx --on cpu --shape batch=$batch -o "ci/y$batch.npz"
done
cat >models.toml <<'END'
schema = "plumb-cases/1"
[defaults]
tags = "small"
[[case]]
model = "ci/encoder_in_primitives.onnx"
shape = "batch=1"
expected = "ci/y1.npz"
[[case]]
model = "ci/encoder_in_primitives.onnx"
shape = ["batch=2"]
expected = "ci/y2.npz"
tags = ["small", "nightly"]
[[case]]
model = "ci/encoder_in_primitives.onnx"
shape = "batch=3"
expected = "ci/y3.npz"
rtol = 1e-4
[[case]]
model = "ci/two_rates.onnx"
shape = ["batch=1", "samples=4"]
input = ["sr=16000", "shape=[1,4]"]
[[case]]
model = "ci/two_rates.onnx"
shape = ["batch=2", "samples=3"]
input = ["sr=8000", "shape=[3,2]"]
[[case]]
model = "ci/encoder_in_primitives.onnx"
shape = "batch=1"
dtype = "f16"
[[case]]
model = "ci/models"
[[case]]
model = "ci/models/scores.json"
policy = "ci/two.toml"
seeds = 2
[[case]]
model = "ci/models/dense.json"
fill = "exact"
[[case]]
model = "ci/models/dense.json"
seed = 7
END
plumb 0 verify models.toml --require-verified --junit all.xml --json all.json -o all.h5
says '^12 cases, .*: 12 passed$'
holds all.xml '<testsuites>$'
if grep -qE '(failures|errors)="[1-9]' all.xml; then fail 'all.xml has failures'; fi
[ "$(grep -c '<testsuite ' all.xml)" = 12 ] || fail "all.xml has not 12 suites"
holds all.xml '<testsuite name="ci/encoder_in_primitives\.onnx shape=batch:2"'
holds all.xml '<property name="policy" value="ci/two\.toml"'
# What is judged again says the same, each run by the policy of its case.
plumb 0 judge all.h5 --require-verified --junit again.xml
cmp all.xml again.xml || fail "judge writes another report than verify"
# The flags of the command line hold for what a case does not say, and its graphs, which have tags of their own, stand
# beside the cases.
plumb 0 verify ci/models models.toml --tag nightly --no-fuse
says '^1 case, .*: 1 passed$'
plumb 1 verify models.toml --tag nightly --seed 2 --json other.json
holds other.json 'plumb verify ci/encoder_in_primitives\.onnx .*--seed 2 .*--expected ci/y2\.npz'
plumb 0 verify models.toml --filter '^scores$' -q
says '^12 cases, .*: 3 passed 9 skipped$'
# Graphs in JSON let --shape be where a folder has models of both formats.
mkdir mixed
cp ci/encoder_in_primitives.onnx ci/models/scores.json mixed
plumb 0 verify mixed --shape batch=2 --json mixed.json
says '^2 cases, .*: 2 passed$'
holds mixed.json '"repro": "plumb verify mixed/scores\.json --seed 1"'
plumb 2 verify mixed --shape bach=2
warns "no input or open extent is called 'bach'"
# Each case repeats alone, with its own flags, from where the command was run.
sed 's/^rtol = 1e-4/rtol = 1e-30\natol = 1e-30/' models.toml >strict.toml
plumb 1 verify strict.toml --json strict.json -q
holds strict.json 'plumb verify ci/encoder.*\.onnx .*--shape batch=3 --expected ci/y3\.npz .*--rtol 1e-30 --atol 1e-30'
says '^12 cases, .* 1 failed'
# One case that cannot be run stops none of the others.
sed 's/^model = "ci\/models\/dense.json"$/model = "ci\/gone.json"/' models.toml >gone.toml
plumb 2 verify gone.toml -q
says '^12 cases, .*: 10 passed'
# What is wrong in a list is said before anything runs, with its place.
refuses() {
  printf 'schema = "plumb-cases/1"\n%b\n' "$1" >wrong.toml
  plumb 2 verify wrong.toml
  warns "$2"
}
refuses '[[case]]\nmodel = "ci/models"\nshapes = "b=1"' "wrong.toml:4: there is no key 'shapes' of a case; did you mean"
refuses '[defaults]\nmodel = "ci/models"' "wrong.toml:3: there is no key 'model' of defaults"
refuses '[[case]]\nshape = "b=1"' 'wrong.toml:2: this case has no model'
refuses '' 'wrong.toml: has no \[\[case\]\]'
refuses '[[cases]]\nmodel = "ci/models"' "wrong.toml:2: wanted schema, \[defaults\] or \[\[case\]\], found 'cases'"
refuses '[[case]]\nmodel = 3' 'wrong.toml:3: model must be a string that is not empty, found an integer'
refuses '[[case]]\nmodel = "ci/models"\ndtype = "f61"' 'wrong.toml:2: --dtype: .*f61'
refuses '[[case]]\nmodel = "ci/models"\nseeds = 0' 'wrong.toml:2: --seeds: '
refuses '[[case]]\nmodel = "ci/models"\nseeds = 2\nfill = "exact"' 'wrong.toml:2: --fill exact makes a graph'
refuses '[[case]]\nmodel = "ci/none"\n[[case]]\nmodel = ""' 'wrong.toml:5: model must be a string that is not empty'
plumb 2 verify ci/two.toml
warns 'ci/two.toml: wanted schema = "plumb-cases/1", as a list of cases has it'
plumb 2 verify models.toml --tag nightli
warns "no case has the tag 'nightli'; did you mean nightly"
warns '^  nightli$'
warns '^  \^$'
plumb 2 verify ci/models --tag nightly
warns "^plumb: --tag: no case has the tag 'nightly'"
refuses '[[case]]\nmodel = "ci/models"\ntags = "a b"' "wrong.toml:4: tags: a tag has no blank, .*got 'a b'"
plumb 2 verify models.toml --json ci/models/scores.json --force
warns 'ci/models/scores\.json: .*input'
cmp ci/models/scores.json "$graphs/scores.json" || fail "a model was written over"
