# What --require-verified and --strict ask for and did not get is a failure in every report, and the last line says it.
GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
last_line() { tail -n 1 stderr | grep -qE -- "$1" || fail "the last line of stderr does not match: $1"; }
plumb 0 verify "$graphs/scores.json" "$graphs/dense.json" --strict --require-verified --github --junit all.xml
says_not '^::(error|warning) '
holds all.xml '<testsuite [^>]*failures="0"'
holds summary.md '^### plumb: nothing failed$'
rm summary.md
(
  VK_DRIVER_FILES=/no/driver VK_ICD_FILENAMES=/no/driver
  export VK_DRIVER_FILES VK_ICD_FILENAMES
  plumb 4 verify "$graphs/scores.json" -q --require-verified --github --junit none.xml --json none.json
  last_line '^--require-verified: cases not verified: .*scores\.json \(unsupported\); exit code 4$'
  says '^::error title=unsupported%3A \(case\)::not verified: no driver: '
  holds none.xml '<testsuite [^>]*tests="1" failures="1" errors="0" skipped="0"'
  holds none.xml '<failure type="unsupported" message="not verified: no driver: '
  holds summary.md '^### plumb: not verified: no driver$'
  holds none.json '^  "exit": 4,$'
  holds none.json '^      "exit": 4,$'
  holds none.json '^  "require_verified": true,$'
  # Without a device there is nothing to be strict about: no report says that something failed.
  rm summary.md
  for demand in --strict --quiet; do
    plumb 77 verify "$graphs/scores.json" $demand --github --junit none.xml --json none.json
    says_not '^::error '
    holds none.xml '<testsuite [^>]*tests="1" failures="0" errors="0" skipped="1"'
    holds summary.md '^### plumb: nothing failed$'
    holds none.json '^  "exit": 77,$'
  done
) || exit
# A graph of several in which nothing was chosen fails by --require-verified, which says why.
plumb 4 verify "$graphs/scores.json" "$graphs/dense.json" --filter '^p$' --require-verified --junit some.xml
holds some.xml '<failure type="skipped" message="not verified: '
# A rule whose last day is over matches nothing: that is said, and no longer passed by under --strict.
cat >expired.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "known_defect"
match = { node = "scores" }
require = { max_abs = 0 }
expires = 2026-01-01
verdict = "xfail"
reason = "a driver"
END
rm summary.md
plumb 0 verify "$graphs/scores.json" -q --policy expired.toml --github --junit expired.xml -o expired.h5
warns '^rule known_defect expired on 2026-01-01, matches nothing$'
says '^::warning title=expired_rule%3A \(run\)::rule known_defect expired on 2026-01-01, matches nothing$'
holds expired.xml '<skipped type="expired_rule" message="rule known_defect expired on 2026-01-01, matches nothing"'
holds summary.md '^### plumb: nothing failed$'
plumb 4 verify "$graphs/scores.json" -q --policy expired.toml --github --junit strict.xml --json strict.json --strict
last_line '^--strict: rule known_defect expired on 2026-01-01, matches nothing; exit code 4$'
says '^::error title=expired_rule%3A \(run\)::rule known_defect expired on 2026-01-01, matches nothing$'
holds strict.xml '<failure type="expired_rule" message="rule known_defect expired on 2026-01-01, matches nothing"'
holds strict.json '"kind": "expired_rule"'
holds summary.md '^### plumb: rule known.*_defect expired on 2026.*01.*01.*, matches nothing$'
# A limit of an output that no graph has is in the reports of the run that it ends with 2.
cat >idle.toml <<'END'
schema = "plumb-policy/1"

[output]
logits = { max_abs = 1.0 }
END
plumb 2 verify "$graphs/scores.json" -q --policy idle.toml --github --junit idle.xml
last_line "^idle\.toml:4: \[output\] 'logits' unused: there is no such output; exit code 2$"
says "^::error title=unused_limit%3A \(run\)::idle\.toml:4: "
holds idle.xml '<error type="unused_limit" '
# A node of a later seed counts, whether its numbers are kept for a report or not.
cat >root.json <<'JSON'
{
  "format": "plumb.graph/1",
  "why": "the root of a negative number says nothing, and of some seeds the first number is negative",
  "inputs": {"x": {"type": "f32[8, 64]"}},
  "params": {"w": {"type": "f32[64, 48]", "fill": {"distribution": "normal", "scale": 0.125}}},
  "nodes": [
    {"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
    {"label": "first", "op": "slice", "inputs": ["x"], "axes": [0, 1], "starts": [0, 0], "sizes": [1, 1]},
    {"label": "root", "op": "unary", "inputs": ["first"], "function": "sqrt"}
  ],
  "results": ["scores", "root"]
}
JSON
plumb 0 verify root.json -q --seed 2 --strict
for report in '' '--json root.out'; do
  # shellcheck disable=SC2086
  plumb 4 verify root.json -q --seed 2 --seeds 2 --strict $report
  last_line '^--strict: nodes or cases not verified: root \(mistrusted\); exit code 4$'
done
# Seeds that change nothing are no further runs.
plumb 0 verify "$graphs/dense.json" --seeds 3 -q
warns 'dense\.json: every input is given, so that the runs of all 3 seeds are equal$'
[ "$(grep -c 'every input is given' stderr)" -eq 1 ] || fail "it is said more than once"
cat >x.json <<'JSON'
{
  "format": "plumb.graph/1",
  "inputs": {"a": {"type": "f32[8, 64]"}},
  "nodes": [{"label": "x", "op": "reshape", "inputs": ["a"], "shape": [8, 64]}],
  "results": ["x"]
}
JSON
plumb 0 run --on cpu x.json -o x.npz
plumb 0 verify "$graphs/scores.json" --load-inputs x.npz --seeds 2 -q
warns 'scores\.json: every input is given, so that the runs of all 2 seeds are equal$'
plumb 0 verify "$graphs/scores.json" --seeds 2 -q
if grep 'every input' stderr; then fail "inputs that a seed makes are said to be given"; fi

# Told to end, it leaves the reports of what was done, and they say that this is not all.
wait_for() {
  waited=0
  until eval "$1"; do
    sleep 0.05
    waited=$((waited + 1))
    [ $waited -lt 2000 ] || fail "waited in vain for: $1"
  done
}
rm summary.md
# shellcheck disable=SC2086
$launched verify "$graphs/scores.json" --policy "$graphs/strict.toml" --seeds 1000000 --github --junit cut.xml \
  --json cut.json -o cut.h5 >said 2>cut.txt &
writer=$!
wait_for "grep -q '| seed 3 |' said"
kill -TERM $writer
wait $writer
status=$?
cat cut.txt
[ $status -eq 143 ] || fail "SIGTERM: ended with $status"
said='^plumb: told to end \(SIGTERM\); [0-9]+ cases are recorded in cut\.h5\.part; cut off: [0-9]+ of 1000000 cases$'
grep -qE "$said" cut.txt || fail "says $(cat cut.txt)"
grep -qE '^::error title=failed ' said || grep -qE '^::error .*failed' said || fail "what failed is not annotated"
grep -qE '^::error title=cut_off%3A \(run\)::cut off: [0-9]+ of 1000000 cases$' said || fail "no annotation"
holds cut.xml '<failure type="failed" '
holds cut.xml '<failure type="cut_off" message="cut off: [0-9]+ of 1000000 cases"'
holds cut.json '"text": "cut off: [0-9]+ of 1000000 cases"'
holds summary.md '^### plumb: cut off\\: [0-9]+ of 1000000 cases; [0-9]+ tests failed$'
[ ! -e cut.h5 ] && [ ! -e cut.xml.part ] && [ ! -e cut.json.part ] || fail "a file is not what its name says"
# They are those of judge.
unset GITHUB_STEP_SUMMARY
ran=verify
# shellcheck disable=SC2086
$launched judge cut.h5.part --junit judge.xml --json judge.json >judged 2>&1
status=$?
[ $status -eq 1 ] || fail "judge ended with $status"
cmp cut.xml judge.xml || fail "judge writes other JUnit XML than verify"
python3 "$source/tests/commands/same.py" cut.json judge.json "$source/docs/results.md" || fail "JSON differs"
