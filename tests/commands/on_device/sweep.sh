plumb 0 sweep "$graphs/scores.json" --precision f32,f16acc32 --choose always,bound --runs 1 --plan plan.toml
says '^f32 +never +p +0/1 +0 % .* passed$'
says '^f16acc32 +always +p +1/1 +100 % .* passed$'
says '^f16acc32 +bound +p +1/1 +100 % .* passed$'
warns '^plan: plan\.toml$'
holds plan.toml '^schema = "plumb-precision/1"$'
holds plan.toml '^"scores" = "f16acc32"$'
plumb 0 verify "$graphs/scores.json" --precision plan.toml
says '^scores +matmul +f16->f32 .* passed$'
plumb 0 sweep "$graphs/scores.json" --precision f16acc32 --choose bound --runs 1 --budget 1e-6
says '^f16acc32 +bound +p +0/1 +0 % '
says '^bound: no product may run in f16 within --budget 1e-06: the cheapest alone costs an output [0-9.e-]+$'
sed 's/"scores"/"score"/' plan.toml >other.toml
plumb 2 verify "$graphs/scores.json" --precision other.toml
warns "other\.toml: names 'score', which is no node of the graph; did you mean scores\?$"
printf 'schema = "plumb-policy/1"\n' >policy.toml
plumb 2 sweep "$graphs/scores.json" --plan policy.toml
warns_of 'policy.toml: is text of another kind and is not replaced'
plumb 2 sweep missing.json
warns_of missing.json
