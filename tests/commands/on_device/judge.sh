plumb 0 verify "$graphs/scores.json" -o out.h5
plumb 0 judge out.h5
says '^run 0: scores.json \(graph [0-9a-f]{12}\), device .*, seed 1, 2 outputs: passed$'
says '^1 run: 1 passed; 0 changed$'
cat >strict.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "nothing_may_be_off"
match = { op = "matmul" }
require = { max_abs = 0.0 }
END
plumb 1 judge out.h5 --policy strict.toml --explain 's*'
says '^  scores \(matmul\): failed \(was passed\): max_abs is .*, at most 0 is required: rule nothing_may_be_off '
says '^  nothing_may_be_off \(strict\.toml:3\): matches$'
says '^1 run: 1 failed; 1 changed$'
plumb 2 judge missing.h5
warns_of missing.h5
sed 's/"matmul"/"matmull"/' strict.toml >words.toml
plumb 2 judge out.h5 --policy words.toml
warns_of "words.toml:5: match.op: no op is called 'matmull'; did you mean matmul?"
plumb 2 judge out.h5 --policy missing.toml
warns_of missing.toml
plumb 1 judge out.h5 --policy strict.toml --junit out.xml
holds out.xml '<testsuite [^>]*tests="2" failures="1" errors="0" skipped="0"'
holds out.xml '<testcase [^>]*name="scores" [^>]*time="'
plumb 0 judge out.h5 --junit -
says '<testsuite [^>]*tests="2" failures="0" errors="0" skipped="0"'
plumb 2 judge out.h5 --junit out.h5
warns_of out.h5
# Why a node failed and its worst elements; many seeds in a few lines.
plumb 1 verify "$graphs/scores.json" --policy strict.toml -o failed.h5
plumb 0 inspect failed.h5
says '^run 0: scores\.json \(graph [0-9a-f]{12}\), device .*, seed 1, 2 outputs, .* s: failed$'
says '^  scores +matmul .* failed$'
says '^    max_abs is .*, at most 0 is required: rule nothing_may_be_off \(strict\.toml:3\)$'
says '^    element \[[0-9]+, [0-9]+\]: truth [-0-9.e]+, device [-0-9.e]+, off by [0-9.e-]+, allowed [0-9.e-]+$'
plumb 0 verify "$graphs/scores.json" --seeds 12 -o many.h5
plumb 0 inspect many.h5
says '^runs 0 to 11: scores\.json \(graph [0-9a-f]{12}\), device .*, seeds 1 to 12: 12 passed$'
says '^scores +matmul .* 12 passed$'
[ "$(wc -l <stdout)" -eq 5 ] || fail "12 seeds take more than 5 lines"
plumb 0 inspect many.h5 -v
says '^run 11: .*, seed 12, 2 outputs, '
plumb 0 judge many.h5
says '^runs 0 to 11: scores\.json .*, seeds 1 to 12, 2 outputs each: passed$'
says '^12 runs: 12 passed; 0 changed$'
[ "$(wc -l <stdout)" -eq 2 ] || fail "12 seeds take more than 2 lines"
plumb 1 judge failed.h5 --github
says '^::stop-commands::plumb-[0-9a-f]{32}$'
says '^::error title=matmul failed%3A scores::max_abs is .*, at most 0 is required'
# From the file come the reports of verify, byte for byte; what a file does not keep is null in JSON, and listed.
GITHUB_WORKSPACE=$source GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
annotated() { sed -n '/^::plumb-/,$p' stdout | sed 1d; }
plumb 2 verify "$graphs/scores.json" "$graphs/dense.json" missing.json "$source/fixtures/must_fail/transposed.json" \
  --metamorphic --seeds 2 --policy "$PWD/strict.toml" --github --junit verify.xml --json verify.json -o all.h5
annotated >verify.txt
mv summary.md verify.md
plumb 2 judge all.h5 --github --junit judge.xml --json judge.json
annotated >judge.txt
grep -q '^::error ' judge.txt || fail "nothing is annotated"
cmp verify.xml judge.xml || fail "judge writes other JUnit XML than verify"
cmp verify.txt judge.txt || fail "judge annotates otherwise than verify"
cmp verify.md summary.md || fail "judge writes another summary than verify"
python3 "$source/tests/commands/same.py" verify.json judge.json "$source/docs/results.md" || fail "JSON differs"
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
plumb 2 judge all.h5 --junit - --json -
warns_of "only one of --json, --junit, --markdown and --html can be written to stdout"
# A node that fails by its rule and by a budget names the policy twice.
{
  cat strict.toml
  printf '\n[output]\n"*" = { rel_l2 = 1e-9, snr_db = ">= 200" }\n'
} >both.toml
plumb 1 verify "$graphs/scores.json" --policy "$PWD/both.toml" --junit verify.xml -o both.h5
plumb 1 judge both.h5 --policy "$PWD/both.toml" --junit judge.xml
says '^  scores \(matmul\): failed: max_abs is .*: rule .*; the total of scores is beyond \[output\] .*; snr_db is '
says '^  p \(softmax\): failed: the total of p is beyond \[output\] .*rel_l2 is .*; snr_db is '
cmp verify.xml judge.xml || fail "judge writes other JUnit XML than verify"
