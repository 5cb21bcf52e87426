# The commands and the plan that docs/campaign.md shows are run, with fewer seeds.
# shellcheck disable=SC2154  # run.sh gives them
page=$source/docs/campaign.md
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{//!p;}" "$page"; }
mkdir -p graphs models bin
cp "$graphs/scores.json" graphs
plumb 0 export "$graphs/dense.json" --nodes product --as onnx -o exported
cp exported/dense/model.onnx models
cat >ci.toml <<'END'
schema = "plumb-policy/1"
[[rule]]
id = "products"
match = { op = "matmul" }
require = { cosine = 0.999 }
END
block toml | sed 's/^seeds = 30$/seeds = 4/; s/^seeds_per_task = 10$/seeds_per_task = 2/; s/^count = 200$/count = 4/
  s/^count_per_task = 100$/count_per_task = 2/' >nightly.toml
grep -q '^seeds = 4$' nightly.toml || fail 'the page shows no plan that this test knows'
printf '#!/bin/sh\nexec %s "$@"\n' "$launched" >bin/plumb
chmod +x bin/plumb
block sh | sed '/^mpirun/,$d' >commands
[ "$(grep -c '^plumb campaign ' commands)" = 4 ] || fail 'the page does not show the four commands'
code=0
PATH=$PWD/bin:$PATH sh -ex commands || code=$?
[ "$code" -ne 77 ] || exit 77  # no device: nothing of the page can run
[ "$code" -eq 0 ] || fail "the commands of the page end with $code"
grep -q '<testsuite ' all.xml || fail 'there is no JUnit report'
grep -q '<html' all.html || fail 'there is no page'
plumb 0 campaign status night
says '^verify +[0-9]+ '
says '^all is done$'
