plumb 0 power "$graphs/dense.json" --on cpu --faults scaled --json power.json
says '^scaled +[0-9]+/[0-9]+ '
says '^y +binary +f32 +[0-9]/[0-9] +- +0 .* 2\^-10 .* passed$'
says 'dense\.json: power 1\.000 \| ([0-9]+) of \1 required faults caught \(limit [0-9]+'
holds power.json '"scaled"'
# A policy that lets everything pass catches nothing.
cat >loose.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "all"
match = {}
require = { cosine = 0.1 }
END
plumb 1 power "$graphs/dense.json" --on cpu --faults scaled --policy loose.toml
says 'power 0\.000 \| 0 of [0-9]+ required faults caught'
# After its last day it is no rule: that is said, and the bounds judge.
{ cat loose.toml && printf 'expires = 2026-01-01\n'; } >expired.toml
plumb 0 power "$graphs/dense.json" --on cpu --faults scaled --policy expired.toml
warns '^rule all expired on 2026-01-01, matches nothing$'
says 'power 1\.000 '
# How small a fault of attention is seen: less than 64 ulp of any element.
plumb 0 power "$source/fixtures/power/d02_attention.json" --on cpu --faults scaled
says '^scaled +3/3 +- +0 +([1-5]?[0-9](\.[0-9]+)?|6[0-3](\.[0-9]+)?) '
# The smallest share that is seen takes most of the time, and can be left out.
plumb 0 power "$graphs/dense.json" --on cpu --faults scaled --no-smallest
says '^scaled +[0-9]+/[0-9]+ +[^ ]+ +[0-9]+ +- '
plumb 0 power --list
says '^scaled +every element times '
says '^shader:no_bias +a shader takes no bias '
plumb 2 power --on cpu missing.json
warns_of missing.json
# A missing term is planted in every op that sums, and caught.
families=$source/fixtures/power/families
for graph in einsums decoder pools causal_convs recurrences scans; do
  plumb 0 power "$families/$graph.json" --on cpu --no-smallest --faults dropped_term --min-power 1
  says '^dropped_term +[1-9]'
  says 'power 1\.000 '
done
