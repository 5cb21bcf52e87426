plumb 0 power "$graphs/dense.json" --on cpu --faults scaled --json power.json
says '^scaled +yes +2/2 +0 '
says '^y +binary +f32 +1/1 +0 .* passed$'
says 'dense\.json: power 1\.000 \| 2 of 2 required faults caught, 0 without effect \| ref_cpu \| seed 1 '
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
says 'power 0\.000 \| 0 of 2 required faults caught'
plumb 0 power --list
says '^scaled +required  every element times '
plumb 2 power --on cpu missing.json
warns_of missing.json
