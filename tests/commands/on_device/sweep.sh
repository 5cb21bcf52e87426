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
# What is stored in f16 is held to the graph as it was; beside it stands what is left of the converted one.
plumb 0 sweep "$graphs/f16_weights_underflow.json" --dtype f16 --runs 1
says '^f32 +never +p +0/1 .* passed$'
says '^f16 +stored +p +all +- +[0-9.e-]+ +1\.57e-01 +2\.2[0-9]e-02 +16\.1 +0\.98[0-9]+ .* (passed|mistrusted)$'
says_not '^f16acc'
plumb 0 sweep "$graphs/f16_weights_underflow.json" --precision f16acc32,f16,bf16 --choose always --runs 1
says '^f16acc32 +always +p +1/1 +100 % +[0-9.e-]+ +1\.5[0-9]e-01 '
says '^f16 +stored +p +all +- +[0-9.e-]+ +1\.57e-01 +2\.2[0-9]e-02 '
says '^bf16 +stored +p +all '
# Samples by seed, by file, and what both come to.
plumb 0 sweep "$graphs/scores.json" --precision f16acc32 --choose always --seeds 3 --runs 1
says '^precision .* rel_l2 +median +SNR dB +cosine +top-1 +max ratio '
says '^f16acc32 +always +p +1/1 +100 % +([0-9.e-]+ +){3}[0-9]+\.[0-9] +[0-9.]+ +[0-9.]+ % .* passed$'
says '^errors are the worst of 3 samples, median that of rel_l2$'
cat >x.json <<'JSON'
{
  "format": "plumb.graph/1",
  "params": {"a": {"type": "f32[8, 64]"}},
  "nodes": [{"label": "x", "op": "reshape", "inputs": ["a"], "shape": [8, 64]}],
  "results": ["x"]
}
JSON
plumb 0 run --on cpu x.json --seed 5 -o five.npz
plumb 0 run --on cpu x.json --seed 6 -o six.npz
plumb 0 sweep "$graphs/scores.json" --precision f16acc32 --choose bound --load-inputs five.npz --load-inputs six.npz \
  --seeds 2 --runs 1 --plan files.toml
says '^errors are the worst of 2 samples, median that of rel_l2$'
warns '^2 seeds left out: all that the graph is fed comes from a file$'
# A plan says by which command it was made, and of what.
holds files.toml '^source = .*plumb sweep .*/scores\.json --precision f16acc32 --choose bound --load-inputs five\.npz'
holds files.toml ' --seeds 2 --runs 1 --plan files\.toml: rel_l2 of every output within 0\.001, seed 1, tensors read '
plumb 0 verify "$graphs/scores.json" --precision files.toml
# A row a budget, and what a plan costs that was given.
plumb 0 sweep "$graphs/scores.json" --precision f16acc32 --choose bound --budget 1e-6,1e-2 --given plan.toml --runs 1
says '^f16acc32 +bound 1e-06 +p +0/1 '
says '^f16acc32 +bound 0\.01 +p +1/1 '
says '^plan +given +p +1/1 '
plumb 2 sweep "$graphs/scores.json" --budget 1e-6,1e-2 --plan several.toml
warns '--plan is of one --budget, and there are 2'
plumb 2 sweep "$graphs/scores.json" --load-inputs files.toml
warns files.toml
