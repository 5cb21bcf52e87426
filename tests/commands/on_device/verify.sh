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
warns missing.toml
plumb 0 verify "$graphs/scores.json" --fill adversarial:wave -o wave.h5
says 'scores\.json: [a-z]+ \| .* \| seed 1 '
plumb 0 inspect wave.h5 --check-schema
plumb 2 verify "$graphs/scores.json" --fill adversarial:waev
warns_of "no kind is called 'waev', did you mean 'wave'? There are stagnating,"
plumb 2 verify "$graphs/scores.json" --fill advers
warns_of "--fill is graph, exact, adversarial or adversarial:NAME, got 'advers'"
