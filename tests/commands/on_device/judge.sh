plumb 0 verify "$graphs/scores.json" -o out.h5
plumb 0 judge out.h5
says '^run 0: graph [0-9a-f]{12}, device .*, seed 1, 2 outputs: passed$'
says '^1 runs: 1 passed; 0 changed$'
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
says '^1 runs: 1 failed; 1 changed$'
plumb 2 judge missing.h5
warns_of missing.h5
plumb 2 judge out.h5 --policy missing.toml
warns_of missing.toml
plumb 1 judge out.h5 --policy strict.toml --junit out.xml
holds out.xml '<testsuite [^>]*tests="2" failures="1" errors="0" skipped="0"'
holds out.xml '<testcase [^>]*name="scores" [^>]*time="'
plumb 0 judge out.h5 --junit -
says '<testsuite [^>]*tests="2" failures="0" errors="0" skipped="0"'
plumb 2 judge out.h5 --junit out.h5
warns_of out.h5
