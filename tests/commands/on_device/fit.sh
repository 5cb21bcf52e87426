plumb 0 verify "$graphs/scores.json" --seeds 20 -q -o seen.h5
plumb 0 fit seen.h5 -o fitted.toml
says '^fit-matmul-f32-f32-[0-9a-f]+: sigma_max [0-9]+\.[0-9]+, 20 seeds, 1 node$'
says '^total of p: max_abs [0-9.e-]+, rel_l2 [0-9.e-]+, 20 seeds$'
says '^20 runs, 2 rules, 1 total, 0 findings$'
holds fitted.toml '^"p" = \{ max_abs = [0-9.e-]+, rel_l2 = [0-9.e-]+, source = "fitted", fit = \{ n_seeds = 20,'
holds fitted.toml '^schema = "plumb-policy/1"$'
holds fitted.toml '^require = \{ bound = "auto", sigma_max = [0-9.]+ \}$'
holds fitted.toml 'n_seeds = 20, n_samples = 20, n_nodes = 1, method = "gumbel-lmoments"'
# Its limits hold for the runs that they were fitted to.
plumb 0 judge seen.h5 --policy fitted.toml
says '^20 runs: 20 passed; 0 changed$'
# What a record keeps with --rows failed is enough for the same policy, to 24 bits, and to be judged by it.
plumb 0 verify "$graphs/scores.json" --seeds 20 -q --rows failed -o few.h5
plumb 0 inspect few.h5 --check-schema
plumb 0 fit few.h5 -o few.toml
shorter() { sed -E 's/([0-9]\.[0-9]{4})[0-9]+/\1/g' "$1"; }
[ "$(shorter fitted.toml)" = "$(shorter few.toml)" ] || fail "a record of few rows gives another policy"
plumb 0 judge few.h5 --policy few.toml --junit few.xml
says '^20 runs: 20 passed; 0 changed$'
holds few.xml '<property name="ratio" value="0\.[0-9]+"/>'
rows() { h5ls "$1/results/nodes" | sed 's/.*{\([0-9]*\).*/\1/'; }
[ "$(rows few.h5)" -lt "$(($(rows seen.h5) * 2 / 3))" ] || fail "few.h5 has $(rows few.h5) rows of $(rows seen.h5)"
# Runs that are given twice count once.
cp seen.h5 copy.h5
for again in seen.h5 copy.h5; do
  plumb 0 fit seen.h5 "$again" -o "twice_$again.toml"
  says '^20 runs, 2 rules, 1 total, 0 findings$'
  warns '^20 runs are equal to earlier ones .*, and not counted again$'
  cmp fitted.toml "twice_$again.toml" || fail "runs that are given twice give other limits"
done
plumb 2 fit seen.h5 -o fitted.toml
warns_of 'fitted.toml: the file exists and is not replaced'
plumb 2 fit missing.h5 -o other.toml
warns_of missing.h5
[ ! -e other.toml ] || fail "other.toml was written"
# Half precision: what is stored leaves nothing to tighten, and it is said where that is explained.
plumb 0 verify "$graphs/scores.json" --dtype f16 --seeds 20 -q -o half.h5
plumb 0 fit half.h5 -o half.toml
warns '^softmax f16->f16.*: nothing to tighten, .*above the bound.*stored in 16 bits.*[(]docs/f16[.]md[)]$'
plumb 0 judge half.h5 --policy half.toml
